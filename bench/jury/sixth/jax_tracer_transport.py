"""Transport of a tracer by a steady wind on 4096 x 4096 cells, four steps a round, compiled as a whole.

Nothing is wrong: neighbours come by shifted reads, whose lanes still read side by side, and the compiler fuses a step.
The pattern is that of google/jax-cfd, jax_cfd/base/finite_differences.py."""
import functools

import jax
import jax.numpy as jnp

from case import run_case

SIDE, STEPS, STEP, ROUNDS = 4096, 4, 0.2, 300


def divergence(tracer, along, across):
    """Upwind; the field has no edges."""
    out = 0
    for axis, wind in ((1, along), (0, across)):
        flux = wind * jnp.where(wind > 0, tracer, jnp.roll(tracer, -1, axis))
        out = out + flux - jnp.roll(flux, 1, axis)
    return out


@functools.partial(jax.jit, donate_argnums=0)
def advanced(tracer, along, across):
    for _ in range(STEPS):
        tracer = tracer - STEP * divergence(tracer, along, across)
    return tracer


def transporting():
    place = jnp.arange(SIDE, dtype=jnp.float32) * (2 * jnp.pi / SIDE)
    along = jnp.sin(place)[:, None] * jnp.ones(SIDE, jnp.float32)
    across = jnp.ones((SIDE, 1), jnp.float32) * jnp.cos(place)
    state = [jax.random.uniform(jax.random.key(1), (SIDE, SIDE), jnp.float32)]

    def one_round():
        state[0] = advanced(state[0], along, across)
        return state[0]

    return one_round, lambda: jnp.abs(state[0]).mean(), ROUNDS


run_case(None, transporting)
