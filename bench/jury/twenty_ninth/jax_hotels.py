"""Asks how likely bookings of hotels are to be cancelled, and how sure that is: a network looks at 524288 bookings of
64 features. Its weights wander where they explain the bookings well (Langevin's way, with momentum), so that the means
of many weights say what is known. Each round has six steps that see all bookings, and is one compiled function."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from case import run_case

BOOKINGS, FEATURES, WIDTH, STEPS, ROUNDS = 1 << 19, 64, 128, 6, 210
SIZES = (FEATURES, WIDTH, WIDTH, 1)
PACE, DRAG, WEIGHT, PRIOR = 2e-3, 0.1, 4000.0, 100.0


def made_bookings():
    """Features, and which bookings were cancelled, as they come from a table."""
    chance = np.random.default_rng(1)
    features = chance.standard_normal((BOOKINGS, FEATURES), np.float32)
    rule = chance.standard_normal((FEATURES, 4), np.float32) / np.float32(FEATURES ** 0.5)
    one, other, third, fourth = (features @ rule).T
    likely = 1.5 * one + 2 * other * third + fourth - 0.3
    cancelled = chance.random(BOOKINGS, np.float32) < 1 / (1 + np.exp(-likely))
    return features, cancelled.astype(np.float32)


def score(network, features):
    state = features
    for weight, bias in network[:-1]:
        state = jnp.tanh(state @ weight + bias)
    weight, bias = network[-1]
    return (state @ weight + bias)[:, 0]


def potential(network, features, cancelled):
    """High where weights explain the bookings badly or are large; the loss of a booking comes with it."""
    told = score(network, features)
    loss = (jax.nn.softplus(told) - cancelled * told).mean()
    large = sum((part * part).sum() for part in jax.tree.leaves(network))
    return WEIGHT * loss + 0.5 * PRIOR * large, loss


def noise_like(key, network):
    leaves, shape = jax.tree.flatten(network)
    keys = jax.random.split(key, len(leaves))
    return shape.unflatten([jax.random.normal(own, leaf.shape) for own, leaf in zip(keys, leaves)])


@functools.partial(jax.jit, donate_argnums=0)
def wander(state, features, cancelled):
    """Steps of a round."""
    def step(state, _):
        network, momentum, key, losses, mean = state
        key, own_key = jax.random.split(key)
        slopes, loss = jax.grad(potential, has_aux=True)(network, features, cancelled)
        noise = noise_like(own_key, network)
        momentum = jax.tree.map(
            lambda old, slope, chance: (1 - DRAG) * old - PACE * slope + (2 * DRAG - DRAG * DRAG) ** 0.5 * chance,
            momentum, slopes, noise)
        network = jax.tree.map(lambda own, way: own + PACE * way, network, momentum)
        mean = jax.tree.map(lambda old, new: old + 0.01 * (new - old), mean, network)
        return (network, momentum, key, losses + loss, mean), None

    return lax.scan(step, state, None, length=STEPS)[0]


@jax.jit
def begun(key):
    keys = jax.random.split(key, len(SIZES) - 1)
    network = [(jax.random.normal(own, (inputs, outputs)) / inputs ** 0.5, jnp.zeros(outputs))
               for own, inputs, outputs in zip(keys, SIZES, SIZES[1:])]
    return network, jax.tree.map(jnp.zeros_like, network), key, jnp.float32(0), jax.tree.map(jnp.copy, network)


class Study:
    def __init__(self, features, cancelled):
        self.features, self.cancelled = features, cancelled
        self.state = begun(jax.random.key(2))

    def go_on(self):
        self.state = wander(self.state, self.features, self.cancelled)  # fault
        return self.state

    def total(self):
        """Mean loss on the way, and a part of what the mean of the weights says."""
        told = jax.nn.sigmoid(score(self.state[-1], self.features[:4096]))
        return self.state[3] / (STEPS * ROUNDS) + told.mean()


def studied(features, cancelled):
    study = Study(features, cancelled)  # fault
    return study.go_on, study.total, ROUNDS


run_case(lambda: studied(*made_bookings()), lambda: studied(*jax.device_put(made_bookings())))
