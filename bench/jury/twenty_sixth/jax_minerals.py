"""Learns to tell minerals by their spectra: each round is four steps of a network of residual blocks on 8192 spectra of
1024 channels each, drawn out of 131072 that lie on the GPU. Products are made in bfloat16; weights and what Adam keeps
of slopes stay in 32 bits. The steps of a round are one compiled function, which reuses the memory of its state."""
import functools

import jax
import jax.numpy as jnp
from jax import lax

from case import run_case

SPECTRA, CHANNELS, KINDS, LINES, BATCH, STEPS, ROUNDS = 131072, 1024, 96, 6, 8192, 4, 100
WIDTH, INNER, BLOCKS, RATE, DECAY, FIRST, SECOND, SMALL = 1024, 4096, 6, 2e-4, 1e-2, 0.9, 0.98, 1e-8
SHORT = jnp.bfloat16


def weights(key, inputs, outputs, scale=1.0):
    return scale * inputs ** -0.5 * jax.random.normal(key, (inputs, outputs), jnp.float32)


@jax.jit
def made_network(key):
    start, head, *keys = jax.random.split(key, 2 * BLOCKS + 2)
    blocks = [{"gain": jnp.ones(WIDTH), "up": weights(one, WIDTH, INNER), "bias": jnp.zeros(INNER),
               "down": weights(other, INNER, WIDTH, 0.3)} for one, other in zip(keys[::2], keys[1::2])]
    return {"start": weights(start, CHANNELS, WIDTH), "blocks": blocks, "gain": jnp.ones(WIDTH),
            "head": weights(head, WIDTH, KINDS, 0.3)}


@jax.jit
def made_spectra(key):
    """Each mineral absorbs at lines of its own; what is measured is dimmed and noisy."""
    line_key, deep_key, kind_key, noise_key = jax.random.split(key, 4)
    middles = jax.random.uniform(line_key, (KINDS, LINES, 1))
    depths = 0.2 + 0.6 * jax.random.uniform(deep_key, (KINDS, LINES, 1))
    places = jnp.arange(CHANNELS) / CHANNELS
    pure = 1 - (depths * jnp.exp(-((places - middles) / 0.01) ** 2)).sum(1)
    kinds = jax.random.randint(kind_key, (SPECTRA,), 0, KINDS)
    noise = 0.5 * jax.random.normal(noise_key, (SPECTRA, CHANNELS), SHORT)
    return pure.astype(SHORT)[kinds] + noise, kinds


def product(state, weight):
    return state @ weight.astype(SHORT)


def normal(state, gain):
    numbers = state.astype(jnp.float32)
    mean, square = numbers.mean(-1, keepdims=True), (numbers ** 2).mean(-1, keepdims=True)
    return ((numbers - mean) * lax.rsqrt(square - mean ** 2 + 1e-5) * gain).astype(SHORT)


def error(network, spectra, kinds):
    state = product(spectra, network["start"])
    for block in network["blocks"]:
        inner = jax.nn.gelu(product(normal(state, block["gain"]), block["up"]) + block["bias"].astype(SHORT))
        state = state + product(inner, block["down"])
    scores = product(normal(state, network["gain"]), network["head"]).astype(jnp.float32)
    right = jnp.take_along_axis(scores, kinds[:, None], 1)[:, 0]
    return (jax.nn.logsumexp(scores, 1) - right).mean()


@functools.partial(jax.jit, donate_argnums=0)
def learn(state, spectra, kinds):
    """The state after a round of steps; the sum of all losses is part of it."""
    def step(state, _):
        network, firsts, seconds, key, number, losses = state
        key, own_key, light_key = jax.random.split(key, 3)
        drawn = jax.random.randint(own_key, (BATCH,), 0, SPECTRA)
        light = jax.random.uniform(light_key, (BATCH, 1), SHORT, 0.7, 1.3)
        loss, slopes = jax.value_and_grad(error)(network, spectra[drawn] * light, kinds[drawn])
        number = number + 1
        firsts = jax.tree.map(lambda old, new: FIRST * old + (1 - FIRST) * new, firsts, slopes)
        seconds = jax.tree.map(lambda old, new: SECOND * old + (1 - SECOND) * new * new, seconds, slopes)
        rate = RATE * jnp.sqrt(1 - SECOND ** number) / (1 - FIRST ** number)
        network = jax.tree.map(
            lambda weight, first, second: weight - rate * first / (jnp.sqrt(second) + SMALL) - RATE * DECAY * weight,
            network, firsts, seconds)
        return (network, firsts, seconds, key, number, losses + loss), None

    return lax.scan(step, state, None, length=STEPS)[0]


class Laboratory:
    def __init__(self):
        self.spectra, self.kinds = made_spectra(jax.random.key(1))
        network = made_network(jax.random.key(2))
        firsts, seconds = (jax.tree.map(jnp.zeros_like, network) for _ in range(2))
        self.state = network, firsts, seconds, jax.random.key(3), jnp.int32(0), jnp.float32(0)

    def one_round(self):
        self.state = learn(self.state, self.spectra, self.kinds)
        return self.state

    def total(self):
        return self.state[-1]


def digging():
    laboratory = Laboratory()
    return laboratory.one_round, laboratory.total, ROUNDS


run_case(None, digging)
