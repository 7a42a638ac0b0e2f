"""Lets a forest burn: each round, fire spreads for 150 minutes over 2048 x 2048 cells, by wind, by how much there is to
burn, and by what lightning sets on fire; then crews clear 256 lines of 64 cells each. A round's minutes are one
compiled function; plants grow back slowly."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from case import run_case

SIDE, MINUTES, CREWS, LINE, PLANS, BOLTS = 2048, 150, 256, 64, 32, 512
CATCH, STEEP, BURN, GAIN, FADE, GROW, ROUNDS = 0.25, 24.0, 0.12, 10.0, 0.75, 0.0008, 220


def around(heat):
    """Heat of the neighbours; the wind comes from the west."""
    west, east = jnp.roll(heat, 1, 1), jnp.roll(heat, -1, 1)
    north, south = jnp.roll(heat, 1, 0), jnp.roll(heat, -1, 0)
    return 0.2 * heat + 0.32 * west + 0.12 * east + 0.18 * (north + south)


def minute(_, forest):
    fuel, heat, burnt = forest
    near = around(heat)
    lost = BURN * fuel * jax.nn.sigmoid(STEEP * (near - CATCH))
    return fuel - lost + GROW * (1 - fuel), FADE * near + GAIN * lost, burnt + lost


def burn(fuel, heat, number, area):
    """The forest after a round, and how much has burnt so far in the mean."""
    rows, columns = jax.random.randint(jax.random.fold_in(jax.random.key(2), number), (2, BOLTS), 0, SIDE)
    heat = heat.at[rows, columns].set(1.5)
    fuel, heat, burnt = lax.fori_loop(0, MINUTES, minute, (fuel, heat, jnp.zeros_like(fuel)))
    return fuel, heat, number + 1, area + burnt.mean()


def made_plans():
    """Rows and columns of the lines that crews clear; each line begins anywhere and goes one of four ways."""
    random = np.random.default_rng(3)
    plans = []
    for _ in range(PLANS):
        starts, ways = random.integers(SIDE, size=(2, CREWS, 1)), random.integers(-1, 2, size=(2, CREWS, 1))
        rows, columns = (starts + ways * np.arange(LINE)) % SIDE
        plans.append((rows.reshape(-1).astype(np.int32), columns.reshape(-1).astype(np.int32)))
    return plans


class MapOfCrews:
    """The crews' map is kept by NumPy, like their plans."""
    def __init__(self):
        self.plans = made_plans()

    def clear(self, fuel, number):
        rows, columns = self.plans[number % PLANS]
        cleared = np.array(fuel)  # fault
        cleared[rows, columns] = 0
        return jnp.asarray(cleared)  # fault


class MapOfForest:
    def __init__(self):
        self.plans = jax.device_put(made_plans())
        self.cut = jax.jit(lambda fuel, rows, columns: fuel.at[rows, columns].set(0.0), donate_argnums=0)

    def clear(self, fuel, number):
        return self.cut(fuel, *self.plans[number % PLANS])


@jax.jit
def made_forest():
    of_fuel, of_heat = jax.random.split(jax.random.key(1))
    fuel = 0.5 + 0.5 * jax.random.uniform(of_fuel, (SIDE, SIDE))
    return fuel, 0.3 * jax.random.uniform(of_heat, (SIDE, SIDE)), jnp.int32(0), jnp.float32(0)


class Forest:
    def __init__(self, crews):
        self.crews, self.number = crews(), 0
        self.state, self.run = made_forest(), jax.jit(burn, donate_argnums=(0, 1))

    def one_round(self):
        fuel, *others = self.run(*self.state)
        self.state = (self.crews.clear(fuel, self.number), *others)  # fault
        self.number += 1
        return self.state

    def total(self):
        return self.state[-1]


def burning(crews):
    forest = Forest(crews)
    return forest.one_round, forest.total, ROUNDS


run_case(lambda: burning(MapOfCrews), lambda: burning(MapOfForest))
