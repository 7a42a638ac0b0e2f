"""Trains an autoencoder on 4096 images a step, which the device draws itself.

Nothing is wrong: the step is compiled, old weights are given back, and nothing is read until the end.
The pattern is that of google/flax, examples/vae."""
import functools

import jax
import jax.numpy as jnp

from case import run_case

IMAGES, PIXELS, WIDTH, CODE, ROUNDS = 4096, 1024, 4096, 64, 300


@functools.partial(jax.jit, donate_argnums=0)
def learned(weights, key, images):
    def cost(weights):
        first, inner, outer, last = weights
        code = jax.nn.relu(images @ first) @ inner
        code = code + 0.1 * jax.random.normal(key, code.shape)
        return jnp.square(jax.nn.relu(code @ outer) @ last - images).mean()

    return [own - 0.01 * slope for own, slope in zip(weights, jax.grad(cost)(weights))]


def coding():
    keys = jax.random.split(jax.random.key(1), 5)
    shapes = [(PIXELS, WIDTH), (WIDTH, CODE), (CODE, WIDTH), (WIDTH, PIXELS)]
    weights = [[jax.random.normal(key, shape) / shape[0] ** 0.5 for key, shape in zip(keys, shapes)]]
    images, number = jax.random.uniform(keys[4], (IMAGES, PIXELS)), [0]

    def one_round():
        number[0] += 1
        weights[0] = learned(weights[0], jax.random.key(number[0]), images)
        return weights[0]

    return one_round, lambda: sum(float(jnp.abs(own).sum()) for own in weights[0]), ROUNDS


run_case(None, coding)
