"""Foretells how much water 32 rivers bring from 128 days of weather: four layers, each with 1024 memories a river that fade
day by day, and two products.

At fault: lax.scan takes one day after the other, with a few small kernels for 32,768 memories each day, so the GPU is mostly
empty or waits for launches.
The pattern is that of google-deepmind/rlax, pull request 168: associative_scan instead of scan for a linear recurrence."""
import functools

import jax
import jax.numpy as jnp

from case import run_case

DAYS, RIVERS, SEEN, WIDTH, WIDER, LAYERS, LONG, SETS, ROUNDS = 128, 32, 64, 1024, 4096, 4, 2.0, 8, 1500


def day_by_day(keep, fresh):
    def day(memory, own):
        memory = own[0] * memory + own[1]  # fault
        return memory, memory

    return jax.lax.scan(day, jnp.zeros_like(fresh[0]), (keep, fresh))[1]  # fault


def all_days(keep, fresh):
    def after_each_other(before, own):
        return own[0] * before[0], own[0] * before[1] + own[1]

    return jax.lax.associative_scan(after_each_other, (keep, fresh))[1]


@functools.partial(jax.jit, static_argnums=0)
def foretold(way, weather, inward, layers, outward):
    hidden = weather @ inward
    for gates, widen, narrow in layers:
        faded, fresh = jnp.split(hidden @ gates, 2, 2)
        keep = jax.nn.sigmoid(faded + LONG)
        hidden = hidden + way(keep, (1 - keep) * fresh)  # fault
        hidden = hidden + jax.nn.relu(hidden @ widen) @ narrow
    return hidden @ outward


def made_weights():
    keys = iter(jax.random.split(jax.random.key(1), 3 * LAYERS + 2))

    def weights(before, after):
        return jax.random.normal(next(keys), (before, after)) / before ** 0.5

    layers = [(weights(WIDTH, 2 * WIDTH), weights(WIDTH, WIDER), weights(WIDER, WIDTH) / 2) for _ in range(LAYERS)]
    return weights(SEEN, WIDTH), layers, weights(WIDTH, 1)


def foretelling(way):
    weights, number, kept = made_weights(), [0], [None]
    weather = list(jax.random.normal(jax.random.key(2), (SETS, DAYS, RIVERS, SEEN)))

    def one_round():
        kept[0] = foretold(way, weather[number[0] % SETS], *weights)  # fault
        number[0] += 1
        return kept[0]

    return one_round, lambda: float(jnp.abs(kept[0]).sum()), ROUNDS


run_case(lambda: foretelling(day_by_day), lambda: foretelling(all_days))
