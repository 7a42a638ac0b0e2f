"""Follows a plasma in one dimension of space and three of velocity by 17 million particles: each round puts their charges on 256
cells, finds the electric field by a Fourier transform, moves the particles, and lets them collide with a background.

At fault: all particles add their charges to the same 256 numbers by atomics, which queue up in L2; let particles side by side
add to copies of the cells of their own, and add the copies up.
The pattern is that of BLAST-WarpX/warpx, pull requests 2550 and 2692 (charges are gathered in tiles before they reach the whole
grid), and pytorch/pytorch, pull request 168073: a scatter that is contended adds to several copies, whose sum is taken."""
import functools

import jax
import jax.numpy as jnp

from case import run_case

PARTICLES, CELLS, COPIES, STEP, WARMTH, FRICTION, LENGTH, ROUNDS = 1 << 24, 256, 1024, 0.05, 1.0, 0.01, 12.0, 900
SPACING = LENGTH / CELLS


def nearest(places):
    """The cell to the left and the share of the one to the right."""
    scaled = places / SPACING
    left = jnp.floor(scaled)
    return left.astype(jnp.int32) % CELLS, scaled - left


def charges_of_all(left, share):
    density = jnp.zeros(CELLS).at[left].add(1 - share)  # fault
    return density.at[(left + 1) % CELLS].add(share)  # fault


def charges_by_copies(left, share):
    copies = jnp.arange(PARTICLES, dtype=jnp.int32) % COPIES * CELLS
    density = jnp.zeros(COPIES * CELLS).at[copies + left].add(1 - share)
    return density.at[copies + (left + 1) % CELLS].add(share).reshape(COPIES, CELLS).sum(0)


def field_of(density):
    waves = jnp.fft.rfft(1 - density * (CELLS / PARTICLES))
    numbers = 2 * jnp.pi / LENGTH * jnp.arange(CELLS // 2 + 1).at[0].set(1)
    return jnp.fft.irfft((waves / (1j * numbers)).at[0].set(0), CELLS)


def step_with(charges_of, state):
    """State: places, velocities in three directions, the number of the step, and the energy of the field so far."""
    places, velocities, number, energy = state
    left, share = nearest(places)
    field = field_of(charges_of(left, share))
    there = field[left] * (1 - share) + field[(left + 1) % CELLS] * share
    hits = jax.random.normal(jax.random.fold_in(jax.random.key(2), number), (3, PARTICLES))
    slowed = [(1 - FRICTION * STEP) * each + (2 * FRICTION * STEP * WARMTH) ** 0.5 * hit for each, hit in zip(velocities, hits)]
    slowed[0] = slowed[0] - STEP * there
    return jnp.mod(places + STEP * slowed[0], LENGTH), slowed, number + 1, energy + jnp.square(field).mean()


@jax.jit
def made_plasma():
    first, second = jax.random.split(jax.random.key(1))
    even = (jnp.arange(PARTICLES) + jax.random.uniform(first, PARTICLES)) * (LENGTH / PARTICLES)
    places = jnp.mod(even + 0.05 * jnp.sin(2 * jnp.pi / LENGTH * even), LENGTH)
    return places, list(WARMTH ** 0.5 * jax.random.normal(second, (3, PARTICLES))), jnp.int32(0), jnp.float32(0)


@jax.jit
def energy_of(state):
    _, velocities, _, energy = state
    return energy + sum(jnp.square(each).mean() for each in velocities)


def moving(charges_of):
    step = jax.jit(functools.partial(step_with, charges_of), donate_argnums=0)  # fault
    state = [made_plasma()]

    def one_round():
        state[0] = step(state[0])
        return state[0]

    return one_round, lambda: energy_of(state[0]), ROUNDS


run_case(lambda: moving(charges_of_all), lambda: moving(charges_by_copies))
