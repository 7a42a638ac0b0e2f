"""Predictions of 8192 rows by 1024 draws from a posterior of 8192 weights.

At fault: the draws lie in an array of the host, and each call of the compiled function copies the same 32 MB to the device.
The pattern is that of markean/aimz, issue 267, which places the posterior on the device once."""
import jax
import jax.numpy as jnp
import numpy

from case import run_case

ROWS, WEIGHTS, DRAWS, ROUNDS = 8192, 8192, 1024, 150


@jax.jit
def predict(rows, draws, shift):
    guesses = jax.nn.sigmoid(rows @ draws.T + shift)
    return guesses.mean(1), guesses.std(1)


def made_rows():
    return jax.random.normal(jax.random.key(1), (ROWS, WEIGHTS), jnp.float32)


def made_draws():
    return numpy.random.default_rng(2).standard_normal((DRAWS, WEIGHTS), dtype=numpy.float32) / numpy.float32(90)


def total_of(result):
    return result[0].sum() + result[1].sum()


def from_the_host():
    rows, draws, results = made_rows(), made_draws(), [None]
    shift = jnp.float32(0.1)

    def one_round():
        results[0] = predict(rows, draws, shift)  # fault
        return results[0]

    return one_round, lambda: total_of(results[0]), ROUNDS


def placed_once():
    rows, draws, results = made_rows(), jax.device_put(made_draws()), [None]
    shift = jnp.float32(0.1)

    def one_round():
        results[0] = predict(rows, draws, shift)
        return results[0]

    return one_round, lambda: total_of(results[0]), ROUNDS


run_case(from_the_host, placed_once)
