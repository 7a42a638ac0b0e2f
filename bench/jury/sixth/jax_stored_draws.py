"""Predictions for batches of 16,384 records by 32 stored draws of a posterior, averaged over the draws.

At fault: the draws are NumPy arrays, so that each call of the compiled function copies the same 17 MB to the device from
ordinary memory.
The pattern is that of markean/aimz, issue 267: a posterior on the host is sent again with each batch, and shall be placed on
the device once."""
import jax
import jax.numpy as jnp
import numpy

from case import run_case

RECORDS, WIDTH, HIDDEN, DRAWS, BATCHES, ROUNDS = 16384, 512, 256, 32, 4, 160


@jax.jit
def predicted(records, weights, outward):
    hidden = jnp.tanh(jnp.einsum("nw,dwh->dnh", records, weights))
    return jnp.einsum("dnh,dh->dn", hidden, outward).mean(0)


def made_arrays():
    keys = jax.random.split(jax.random.key(1), BATCHES + 2)
    batches = [jax.random.normal(key, (RECORDS, WIDTH), jnp.float32) for key in keys[2:]]
    weights = jax.random.normal(keys[0], (DRAWS, WIDTH, HIDDEN), jnp.float32) / WIDTH ** 0.5
    return batches, weights, jax.random.normal(keys[1], (DRAWS, HIDDEN), jnp.float32)


def total_of(result):
    return jnp.abs(result).sum()


def draws_on_the_host():
    batches, weights, outward = made_arrays()
    weights, outward = numpy.asarray(weights), numpy.asarray(outward)  # fault
    number, results = [0], [None]

    def one_round():
        number[0] += 1
        results[0] = predicted(batches[number[0] % BATCHES], weights, outward)  # fault
        return results[0]

    return one_round, lambda: total_of(results[0]), ROUNDS


def draws_on_the_device():
    batches, weights, outward = made_arrays()
    number, results = [0], [None]

    def one_round():
        number[0] += 1
        results[0] = predicted(batches[number[0] % BATCHES], weights, outward)
        return results[0]

    return one_round, lambda: total_of(results[0]), ROUNDS


run_case(draws_on_the_host, draws_on_the_device)
