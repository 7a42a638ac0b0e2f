"""Lets three series run through a reservoir of 8192 units, 16 moments a round, and gathers what its readout is fitted from.

At fault: the series go through the reservoir one after the other, so its 268 MB of weights come from DRAM for each series.
The pattern is that of reservoirpy/reservoirpy, pull request 239: vmap instead of lax.map, so that a product takes all series
at once."""
import functools

import jax
import jax.numpy as jnp

from case import run_case

UNITS, SERIES, MOMENTS, FEATURES, RESULTS, LEAK, RADIUS, BATCHES, ROUNDS = 8192, 3, 16, 64, 8, 0.3, 0.9, 8, 800


def run_one(state, seen, inward, reservoir):
    """The states of the reservoir while it sees one series."""
    def moment(state, driven):
        state = (1 - LEAK) * state + LEAK * jnp.tanh(reservoir @ state + driven)  # fault
        return state, state

    return jax.lax.scan(moment, state, seen @ inward)


def in_turn(states, seen, inward, reservoir):
    return jax.lax.map(lambda own: run_one(*own, inward, reservoir), (states, seen))  # fault


def together(states, seen, inward, reservoir):
    return jax.vmap(run_one, (0, 0, None, None))(states, seen, inward, reservoir)


@functools.partial(jax.jit, static_argnums=0, donate_argnums=(1, 2, 3))
def echoed(way, states, squares, products, seen, wanted, inward, reservoir):
    states, passed = way(states, seen, inward, reservoir)  # fault
    passed = passed.reshape(-1, UNITS)
    return states, squares + passed.T @ passed, products + passed.T @ wanted.reshape(-1, RESULTS)


def made_series():
    keys = jax.random.split(jax.random.key(1), 4)
    reservoir = jax.random.normal(keys[0], (UNITS, UNITS)) * (RADIUS / UNITS ** 0.5)
    inward = jax.random.normal(keys[1], (FEATURES, UNITS)) * (0.5 / FEATURES ** 0.5)
    seen = jax.random.normal(keys[2], (BATCHES, SERIES, MOMENTS, FEATURES))
    wanted = jax.random.normal(keys[3], (BATCHES, SERIES, MOMENTS, RESULTS))
    return list(seen), list(wanted), inward, reservoir


def echoing(way):
    seen, wanted, inward, reservoir = made_series()
    kept = [jnp.zeros((SERIES, UNITS)), jnp.zeros((UNITS, UNITS)), jnp.zeros((UNITS, RESULTS))]
    number = [0]

    def one_round():
        own = number[0] % BATCHES
        kept[:] = echoed(way, *kept, seen[own], wanted[own], inward, reservoir)
        number[0] += 1
        return kept[0]

    return one_round, lambda: float(jnp.abs(kept[0]).sum()) + float(jnp.trace(kept[1])), ROUNDS


run_case(lambda: echoing(in_turn), lambda: echoing(together))
