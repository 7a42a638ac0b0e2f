"""Lets avalanches run down a mountain: each round, snow slides for 120 steps over 2048 x 2048 cells, pulled by the
slope and held by how rough the ground is, while it goes on snowing here and there. The host reads how deep the snow is
at most: the deeper it is, the less new snow the next round brings. The steps of a round are one compiled function."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from case import run_case

SIDE, STEPS, ROUNDS = 2048, 120, 230
PULL, PRESS, DRAG, FASTEST, MELT, SNOW, DEEP = 0.08, 0.05, 0.8, 0.4, 0.004, 0.004, 5.0


def made_mountain():
    """How the ground falls along both axes, and how rough it is, as NumPy has read it from the survey."""
    random = np.random.default_rng(1)
    rows, columns = (2 * np.pi / SIDE * np.arange(SIDE, dtype=np.float32)[None]).repeat(2, 0)
    falls_east, falls_south = np.zeros((2, SIDE, SIDE), np.float32)
    for _ in range(12):
        waves, phases = random.integers(1, 24, 2), random.uniform(0, 2 * np.pi, 2)
        down = np.sin(waves[0] * rows + phases[0]).astype(np.float32)[:, None]
        across = np.sin(waves[1] * columns + phases[1]).astype(np.float32)
        falls_south += 0.2 * np.roll(down, SIDE // 4, 0) * across
        falls_east += 0.2 * down * np.roll(across, SIDE // 4)
    rough = 0.1 + 0.3 * random.random((SIDE, SIDE), dtype=np.float32)
    return falls_east, falls_south, rough


def carried(depth, speed, axis):
    """Snow that crosses from each cell to the next one along an axis."""
    return speed * jnp.where(speed > 0, depth, jnp.roll(depth, -1, axis))


def slide(snow, mountain, fresh):
    depth, east, south = snow
    falls_east, falls_south, rough = mountain
    hold = 1 / (1 + rough + DRAG * jnp.sqrt(east * east + south * south))
    east = jnp.clip(hold * (east + PULL * falls_east - PRESS * (jnp.roll(depth, -1, 1) - depth)), -FASTEST, FASTEST)
    south = jnp.clip(hold * (south + PULL * falls_south - PRESS * (jnp.roll(depth, -1, 0) - depth)), -FASTEST, FASTEST)
    over_east, over_south = carried(depth, east, 1), carried(depth, south, 0)
    moved = jnp.roll(over_east, 1, 1) - over_east + jnp.roll(over_south, 1, 0) - over_south
    return (1 - MELT) * depth + moved + fresh, east, south


def fallen(amount, number):
    """New snow of each step of a round; showers move on from round to round."""
    turns = jnp.arange(SIDE) * (2 * np.pi / SIDE)
    return amount * (1 + jnp.sin(3 * turns + 0.7 * number))[:, None] * (1 + jnp.sin(2 * turns + 1.9 * number))


def run(snow, mountain, amount, number):
    """The snow after a round, how deep it is at most, and how fast it is in the mean."""
    fresh = fallen(amount, number)
    snow, _ = lax.scan(lambda own, _: (slide(own, mountain, fresh), None), snow, None, length=STEPS)
    depth, east, south = snow
    return snow, depth.max(), (depth * jnp.hypot(east, south)).mean()


@jax.jit
def made_snow():
    of_depth, of_east, of_south = jax.random.split(jax.random.key(2), 3)
    east, south = (0.02 * jax.random.uniform(own, (SIDE, SIDE)) for own in (of_east, of_south))
    return 1 + jax.random.uniform(of_depth, (SIDE, SIDE)), east, south


class Valley:
    def __init__(self, mountain):
        self.mountain, self.snow, self.amount, self.number, self.moved = mountain, made_snow(), SNOW, 0, jnp.float32(0)
        self.run = jax.jit(run, donate_argnums=0)

    def one_round(self):
        self.snow, deepest, speed = self.run(self.snow, self.mountain, self.amount, self.number)  # fault
        self.moved += speed
        self.amount = SNOW * min(1.0, DEEP / float(deepest))
        self.number += 1
        return self.snow

    def total(self):
        return self.moved


def sliding(mountain):
    valley = Valley(mountain)
    return valley.one_round, valley.total, ROUNDS


run_case(lambda: sliding(made_mountain()), lambda: sliding(jax.device_put(made_mountain())))
