"""Trains eight models of a simulated world on steps that stay on the device.

Nothing is wrong: all models learn in one compiled step, old weights are given back, and nothing is read until the end.
The pattern is that of facebookresearch/mbrl-lib, mbrl/models/gaussian_mlp.py: products for all models at once."""
import functools

import jax
import jax.numpy as jnp

from case import run_case

MODELS, STORED, BATCH, SEEN, WIDTH, ROUNDS = 8, 1 << 20, 8192, 64, 1024, 800


def cost(weights, seen, later):
    first, inner, last = weights
    hidden = jax.nn.relu(jax.nn.relu(seen @ first) @ inner)
    return jnp.square(hidden @ last - later).mean()


@functools.partial(jax.jit, donate_argnums=0)
def learned(weights, key, seen, later):
    places = jax.random.randint(key, (MODELS, BATCH), 0, STORED)
    slopes = jax.vmap(jax.grad(cost))(weights, seen[places], later[places])
    return [own - 0.01 * slope for own, slope in zip(weights, slopes)]


def learning():
    keys = jax.random.split(jax.random.key(1), 5)
    shapes = [(SEEN, WIDTH), (WIDTH, WIDTH), (WIDTH, SEEN)]
    weights = [[jax.random.normal(key, (MODELS, *shape)) / shape[0] ** 0.5 for key, shape in zip(keys, shapes)]]
    seen, later = (jax.random.normal(key, (STORED, SEEN)) for key in keys[3:])
    number = [0]

    def one_round():
        number[0] += 1
        weights[0] = learned(weights[0], jax.random.key(number[0]), seen, later)
        return weights[0]

    return one_round, lambda: sum(float(jnp.abs(own).sum()) for own in weights[0]), ROUNDS


run_case(None, learning)
