"""Follows how warm frozen ground is below a road: each round, heat moves for 180 steps through 2048 x 2048 cells of
soil, where water freezes and thaws; then a weather station tells how warm the surface is, and the uppermost rows are
set to it. What 64 sensors in the ground measure is added up. The steps of a round are one compiled function."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from case import run_case

SIDE, STEPS, SENSORS, ROWS, ROUNDS = 2048, 180, 64, 8, 230
PACE, LATENT, NARROW, FROZEN = 0.2, 3.0, 0.6, -4.0


def made_soil():
    """How well heat moves between a cell and the next one, downwards and across, and how much of it a cell takes up."""
    rows, columns = np.mgrid[:SIDE, :SIDE].astype(np.float32) / SIDE
    layers = 0.5 + 0.5 * np.sin(40 * rows + 3 * np.sin(9 * columns)) ** 2
    stones = np.random.default_rng(2).random((SIDE // 16, SIDE // 16)) < 0.1
    layers[stones.repeat(16, 0).repeat(16, 1)] = 1
    layers[:64, 800:1248] = 0.9
    down, across = (np.minimum(layers, np.roll(layers, -1, axis)) for axis in (0, 1))
    down[-1] = 0
    return tuple(jax.device_put(part.astype(np.float32)) for part in (down, across, 1.5 - 0.5 * layers))


def weather(number):
    """How warm the surface is, along the section: seasons, days, and a road that is kept free of snow."""
    places = np.arange(SIDE, dtype=np.float32)
    season, day = 14 * np.sin(0.05 * number), 5 * np.sin(1.3 * number + 0.002 * places)
    road = np.where(abs(places - SIDE / 2) < 200, -3.0, 1.0)
    return (season - 3 + day + road).astype(np.float32)


@functools.partial(jax.jit, donate_argnums=0)
def conduct(ground, soil):
    """Temperatures after a round; what melts or freezes holds the temperature back near zero."""
    down, across, capacity = soil

    def step(_, ground):
        sinks = down * (jnp.roll(ground, -1, 0) - ground)
        passes = across * (jnp.roll(ground, -1, 1) - ground)
        gained = sinks - jnp.roll(sinks, 1, 0) + passes - jnp.roll(passes, 1, 1)
        held = capacity * (1 + LATENT * jnp.exp(-(ground / NARROW) ** 2))
        return ground + PACE * gained / held

    return lax.fori_loop(0, STEPS, step, ground)


def set_surface(ground, warm):
    ground = np.array(ground)  # fault
    ground[:ROWS] = warm
    return jnp.asarray(ground)  # fault


@functools.partial(jax.jit, donate_argnums=0)
def put_surface(ground, warm):
    return ground.at[:ROWS].set(warm)


@jax.jit
def measured(ground, sensors, sum_so_far):
    return sum_so_far + jnp.abs(ground[sensors[0], sensors[1]]).mean()


class Section:
    def __init__(self, surface):
        random = np.random.default_rng(1)
        places = np.stack((random.integers(2 * ROWS, 120, SENSORS), random.integers(0, SIDE, SENSORS)))
        self.sensors, self.soil, self.surface = jax.device_put(places), made_soil(), surface
        self.ground, self.number, self.warmth = jnp.full((SIDE, SIDE), FROZEN, jnp.float32), 0, jnp.float32(0)

    def one_round(self):
        ground = conduct(self.ground, self.soil)
        self.ground = self.surface(ground, weather(self.number))  # fault
        self.warmth = measured(self.ground, self.sensors, self.warmth)
        self.number += 1
        return self.ground, self.warmth

    def total(self):
        return self.warmth


def freezing(surface):
    section = Section(surface)
    return section.one_round, section.total, ROUNDS


run_case(lambda: freezing(set_surface), lambda: freezing(put_surface))
