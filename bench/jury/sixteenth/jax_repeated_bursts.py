"""Looks for radio bursts that repeat: each round keeps 16 new spectra in place of the oldest of 4096, and finds which of all
that are kept each new one is most like.

At fault: the compiled function may not write into the memory of what it is given, so each call copies all spectra, 1.1 GB, to
new memory to change 16 rows; donate the argument, and the rows are written in place.
The pattern is that of hr0nix/dejax, issue 2, and jax-ml/jax, pull request 9258: what is kept is donated to the function that
changes a part of it."""
import jax
import jax.numpy as jnp

from case import run_case

KEPT, BINS, FRESH, SETS, ROUNDS = 4096, 65536, 16, 8, 6000


def keep_and_compare(memory, fresh):
    """What is kept: spectra, the place of the oldest, and the sum of the likenesses so far."""
    spectra, oldest, likeness = memory
    spectra = jax.lax.dynamic_update_slice(spectra, fresh, (oldest, 0))
    alike = spectra @ fresh.T
    own = jnp.arange(KEPT)[:, None] - oldest == jnp.arange(FRESH)
    nearest = jnp.where(own, -jnp.inf, alike).max(0)
    return (spectra, (oldest + FRESH) % KEPT, likeness + nearest.mean()), nearest


def with_new_memory():
    return jax.jit(keep_and_compare)  # fault


def in_place():
    return jax.jit(keep_and_compare, donate_argnums=0)


@jax.jit
def unit_rows(spectra):
    return spectra / jnp.sqrt(jnp.square(spectra).sum(1, keepdims=True))


def repeating(made):
    step, (first, *keys) = made(), jax.random.split(jax.random.key(1), 1 + SETS)  # fault
    memory = [(unit_rows(jax.random.normal(first, (KEPT, BINS))), jnp.int32(0), jnp.float32(0))]
    fresh, number = [unit_rows(jax.random.normal(key, (FRESH, BINS))) for key in keys], [0]

    def one_round():
        memory[0], nearest = step(memory[0], fresh[number[0] % SETS])  # fault
        number[0] += 1
        return nearest

    return one_round, lambda: float(memory[0][2]), ROUNDS


run_case(lambda: repeating(with_new_memory), lambda: repeating(in_place))
