"""Climbs a likelihood of 262,144 events with 64 values each.

At fault: the events are an array of the host, which each step copies again.
The pattern is that of kokabsc/gwkokab, pull request 467: device_put before the steps."""
import jax
import jax.numpy as jnp
import numpy

from case import run_case

EVENTS, VALUES, WIDTH, ROUNDS = 262144, 64, 256, 100


@jax.jit
def climbed(weights, events):
    def cost(weights):
        inner, outer = weights
        return jnp.logaddexp(0.0, jnp.tanh(events @ inner) @ outer).mean()

    return jax.tree.map(lambda own, slope: own - 0.1 * slope, weights, jax.grad(cost)(weights))


def climbing(on_device):
    random = numpy.random.default_rng(1)
    events = random.standard_normal((EVENTS, VALUES), dtype=numpy.float32)
    if on_device:
        events = jax.device_put(events)
    keys = jax.random.split(jax.random.key(1))
    kept = [(jax.random.normal(keys[0], (VALUES, WIDTH)) / 8, jax.random.normal(keys[1], (WIDTH,)) / 16)]

    def one_round():
        kept[0] = climbed(kept[0], events)  # fault
        return kept[0]

    return one_round, lambda: sum(float(jnp.abs(own).sum()) for own in kept[0]), ROUNDS


run_case(lambda: climbing(False), lambda: climbing(True))
