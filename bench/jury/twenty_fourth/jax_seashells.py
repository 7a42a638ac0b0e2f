"""Grows the patterns of sea shells: each round, two pigments spread and react for 32 steps over 2048 x 2048 cells
(Gray and Scott), where the growing shell feeds them more or less; the second pigment of the last 96 rounds is kept as a
film, and each picture is compared with the one of 16 rounds before."""
import jax
import jax.numpy as jnp
from jax import lax

from case import run_case

SIDE, STEPS, PICTURES, AGO, ROUNDS = 2048, 32, 96, 16, 1300
SPREAD, SECOND_SPREAD, FEED, KILL, SWING = 0.16, 0.08, 0.026, 0.051, 0.002


def curved(field):
    """How much a cell differs from what is around it."""
    sides = jnp.roll(field, 1, 0) + jnp.roll(field, -1, 0) + jnp.roll(field, 1, 1) + jnp.roll(field, -1, 1)
    return sides - 4 * field


def grow(shell, number):
    """The shell after a round, and the number of the next one."""
    turns = jnp.arange(SIDE) * (2 * jnp.pi / SIDE)
    feed = FEED + SWING * jnp.sin(2 * turns + 0.01 * number)

    def step(_, pigments):
        first, second = pigments
        made = first * second * second
        return (first + SPREAD * curved(first) - made + feed * (1 - first),
                second + SECOND_SPREAD * curved(second) + made - (feed + KILL) * second)

    return lax.fori_loop(0, STEPS, step, shell), number + 1


def keep(film, picture, number):
    return film.at[number % PICTURES].set(picture)  # fault


@jax.jit
def differ(film, picture, number, sum_so_far):
    before = film[(number - AGO) % PICTURES]
    return sum_so_far + jnp.abs(picture - before).mean()


@jax.jit
def made_shell():
    """Spots of the second pigment here and there."""
    spots = jax.random.uniform(jax.random.key(1), (SIDE // 16, SIDE // 16)) < 0.1
    spots = jnp.repeat(jnp.repeat(spots, 16, 0), 16, 1).astype(jnp.float32)
    noise = 0.02 * jax.random.uniform(jax.random.key(2), (2, SIDE, SIDE))
    return 1 - 0.5 * spots - noise[0], 0.25 * spots + noise[1]


class Shell:
    def __init__(self, donated):
        self.shell, self.number, self.change = made_shell(), jnp.int32(0), jnp.float32(0)
        self.film = jnp.zeros((PICTURES, SIDE, SIDE), jnp.float32)
        self.grow = jax.jit(grow, donate_argnums=0)
        self.keep = jax.jit(keep, donate_argnums=donated)

    def one_round(self):
        self.shell, self.number = self.grow(self.shell, self.number)
        picture = self.shell[1]
        self.film = self.keep(self.film, picture, self.number)  # fault
        self.change = differ(self.film, picture, self.number, self.change)
        return self.film, self.change

    def total(self):
        return self.change


def growing(donated):
    shell = Shell(donated)
    return shell.one_round, shell.total, ROUNDS


run_case(lambda: growing(()), lambda: growing(0))
