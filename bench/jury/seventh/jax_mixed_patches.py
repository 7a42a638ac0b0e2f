"""Trains a mixer of patches and channels on 256 pictures a step: four layers of products along either axis.

Nothing is wrong: a step is compiled as a whole, and its weights take the place of those before.
The pattern is that of google-research/vision_transformer, vit_jax/models_mixer.py, with fewer layers."""
import functools

import jax
import jax.numpy as jnp

from case import run_case

PICTURES, PATCHES, PIXELS, WIDTH, ALONG, ACROSS, CLASSES, LAYERS, ROUNDS = 256, 196, 768, 512, 256, 2048, 128, 4, 100


def normed(hidden):
    middle = hidden.mean(-1, keepdims=True)
    return (hidden - middle) * jax.lax.rsqrt(jnp.square(hidden - middle).mean(-1, keepdims=True) + 1e-6)


def scores_of(weights, patches):
    hidden = patches @ weights["inward"]
    for along_up, along_down, up, down in weights["layers"]:
        turned = normed(hidden).transpose(0, 2, 1)
        hidden = hidden + (jax.nn.gelu(turned @ along_up) @ along_down).transpose(0, 2, 1)
        hidden = hidden + jax.nn.gelu(normed(hidden) @ up) @ down
    return normed(hidden).mean(1) @ weights["outward"]


@functools.partial(jax.jit, donate_argnums=0)
def learned(weights, patches, classes):
    def loss_of(weights):
        chances = jax.nn.log_softmax(scores_of(weights, patches).astype(jnp.float32))
        return -jnp.take_along_axis(chances, classes[:, None], 1).mean()

    loss, slopes = jax.value_and_grad(loss_of)(weights)
    return jax.tree_util.tree_map(lambda own, slope: own - 0.01 * slope, weights, slopes), loss


def training():
    keys = iter(jax.random.split(jax.random.key(1), 4 * LAYERS + 4))

    def made(inward, outward):
        return (jax.random.normal(next(keys), (inward, outward)) / inward ** 0.5).astype(jnp.bfloat16)

    layers = [(made(PATCHES, ALONG), made(ALONG, PATCHES), made(WIDTH, ACROSS), made(ACROSS, WIDTH)) for _ in range(LAYERS)]
    state = [{"inward": made(PIXELS, WIDTH), "layers": layers, "outward": made(WIDTH, CLASSES)}, None]
    patches = jax.random.normal(next(keys), (PICTURES, PATCHES, PIXELS)).astype(jnp.bfloat16)
    classes = jax.random.randint(next(keys), (PICTURES,), 0, CLASSES)

    def one_round():
        state[0], state[1] = learned(state[0], patches, classes)
        return state[1]

    return one_round, lambda: state[1], ROUNDS


run_case(None, training)
