"""Energies and virials of 32 systems of particles, 32,768 pairs each, compiled as a whole.

At fault: a million pairs are added with atomics to 32 words, twice.
The pattern is that of cusp-ai-oss/kUPS, issue 248 and pull request 335: sums of pairs by system, scattered to few words, and
plain sums instead. Here the pairs of a system lie side by side, so each row is summed. openxla/xla, issue 26371, has the cost
of such scatters."""
import jax
import jax.numpy as jnp

from case import run_case

SYSTEMS, PAIRS, ROUNDS = 32, 32768, 1500


def of_each_pair(squares):
    near = 1 / (squares * squares * squares)
    return 4 * (near * near - near), 24 * (near - 2 * near * near)


@jax.jit
def scattered(squares, systems):
    energies, virials = of_each_pair(squares)
    return (jax.ops.segment_sum(energies, systems, num_segments=SYSTEMS),  # fault
            jax.ops.segment_sum(virials, systems, num_segments=SYSTEMS))  # fault


@jax.jit
def summed_by_row(squares):
    energies, virials = of_each_pair(squares)
    return energies.reshape(SYSTEMS, PAIRS).sum(1), virials.reshape(SYSTEMS, PAIRS).sum(1)


def made_squares():
    """Squares of the distances of all pairs, beyond the place where they attract the most."""
    return 1.5 + 5 * jax.random.uniform(jax.random.key(1), (SYSTEMS * PAIRS,), jnp.float32)


def total_of(result):
    return result[0].sum() - result[1].sum()


def to_few_words():
    squares, systems, results = made_squares(), jnp.repeat(jnp.arange(SYSTEMS, dtype=jnp.int32), PAIRS), [None]

    def one_round():
        results[0] = scattered(squares, systems)
        return results[0]

    return one_round, lambda: total_of(results[0]), ROUNDS


def row_by_row():
    squares, results = made_squares(), [None]

    def one_round():
        results[0] = summed_by_row(squares)
        return results[0]

    return one_round, lambda: total_of(results[0]), ROUNDS


run_case(to_few_words, row_by_row)
