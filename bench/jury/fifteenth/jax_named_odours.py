"""Names what is in the air: finds how much of each of 512 known substances makes up 4096 spectra of masses. Each step multiplies
the amounts by factors, until their mixture looks like what was measured.

At fault: the library is an array of NumPy, so each call of the compiled function copies the same 34 MB to the GPU again; put it
there once.
The pattern is that of kokabsc/gwkokab, pull request 467: what stays the same is put on the device before it is used."""
import jax
import jax.numpy as jnp
import numpy

from case import run_case

SPECTRA, SUBSTANCES, MASSES, SETS, ROUNDS = 4096, 512, 16384, 4, 3000


@jax.jit
def nearer(amounts, library, seen):
    return amounts * ((seen / (amounts @ library)) @ library.T)


def made_library():
    """Spectra of substances, a row each whose sum is 1."""
    library = numpy.random.default_rng(1).random((SUBSTANCES, MASSES), dtype=numpy.float32) ** 8 + numpy.float32(1e-6)
    return library / library.sum(1, keepdims=True)


@jax.jit
def made_air(key, library):
    return (jax.random.uniform(key, (SPECTRA, SUBSTANCES)) ** 8) @ library


def as_it_is(library):
    return library  # fault


def naming(placed):
    library = placed(made_library())  # fault
    seen = [made_air(key, library) for key in jax.random.split(jax.random.key(1), SETS)]
    amounts, number = SETS * [jnp.full((SPECTRA, SUBSTANCES), 0.1)], [0]

    def one_round():
        own = number[0] % SETS
        amounts[own] = nearer(amounts[own], library, seen[own])  # fault
        number[0] += 1
        return amounts[own]

    return one_round, lambda: sum(float(jnp.square(each).sum()) for each in amounts), ROUNDS


run_case(lambda: naming(as_it_is), lambda: naming(jax.device_put))
