"""Traces a million rays through a plasma and weakens them by a function of complex numbers.

At fault: NumPy computes the function on the host, so each step brings values there and back while the GPU idles.
The pattern is that of proximafusion/raytrax, pull request 10: the function in JAX itself, 2.2 times as fast."""
import jax
import jax.numpy as jnp
import numpy

from case import run_case

RAYS, TERMS, PARTS, ROUNDS = 1 << 20, 8, 200, 40
WIDTH = (TERMS / 2 ** 0.5) ** 0.5


def made_terms():
    """Weideman's terms for the function of Faddeeva, the highest power first."""
    half = 2 * TERMS
    angles = numpy.arange(-half + 1, half) * numpy.pi / half
    places = WIDTH * numpy.tan(angles / 2)
    weights = numpy.concatenate(([0.0], numpy.exp(-places ** 2) * (WIDTH ** 2 + places ** 2)))
    return numpy.fft.fft(numpy.fft.fftshift(weights)).real[1:TERMS + 1][::-1] / (2 * half)


FACTORS = [float(term) for term in made_terms()]


def faddeeva(numbers):
    below = 1.0 / (WIDTH - 1j * numbers)
    ratio, total = (WIDTH + 1j * numbers) * below, FACTORS[0]
    for factor in FACTORS[1:]:
        total = total * ratio + factor
    return (2.0 * total * below + 1.0 / numpy.pi ** 0.5) * below


def on_the_host(numbers):
    return faddeeva(numpy.asarray(numbers)).astype(numpy.complex64)


def step_of(function):
    @jax.jit
    def traced(x, y, along_x, along_y, power):
        def part(_, state):
            x, y, along_x, along_y = state
            pull = 0.001 * jnp.exp(-x * x - y * y)
            along_x, along_y = along_x - pull * x, along_y - pull * y
            return x + 0.001 * along_x, y + 0.001 * along_y, along_x, along_y

        x, y, along_x, along_y = jax.lax.fori_loop(0, PARTS, part, (x, y, along_x, along_y))
        numbers = jax.lax.complex(2.0 * x, 0.1 + y * y)
        return x, y, along_x, along_y, power * (1.0 - 0.01 * function(numbers).real)

    return traced


def tracing(function):
    keys = jax.random.split(jax.random.key(1), 4)
    state = [(*(jax.random.normal(key, (RAYS,)) for key in keys), jnp.ones(RAYS))]
    traced = step_of(function)

    def one_round():
        state[0] = traced(*state[0])  # fault
        return state[0]

    return one_round, lambda: float(state[0][4].sum()), ROUNDS


def by_callback(numbers):
    shape = jax.ShapeDtypeStruct(numbers.shape, jnp.complex64)
    return jax.pure_callback(on_the_host, shape, numbers)  # fault


run_case(lambda: tracing(by_callback), lambda: tracing(faddeeva))
