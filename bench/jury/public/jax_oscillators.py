"""Sixteen steps of Runge and Kutta for 8 million oscillators, compiled as a whole.

Nothing is wrong: the compiler makes one kernel of a step, which reads and writes each oscillator once.
The pattern is that of jax-ml/jax, jax/experimental/ode.py."""
import jax
import jax.numpy as jnp

from case import run_case

COUNT, STEPS, LENGTH, ROUNDS = 8 << 20, 16, 0.01, 200


def slope(place, speed):
    return speed, -jnp.sin(place) - 0.1 * speed


def runge_kutta(_, state):
    place, speed = state
    a, b = slope(place, speed)
    c, d = slope(place + 0.5 * LENGTH * a, speed + 0.5 * LENGTH * b)
    e, f = slope(place + 0.5 * LENGTH * c, speed + 0.5 * LENGTH * d)
    g, h = slope(place + LENGTH * e, speed + LENGTH * f)
    return place + LENGTH / 6 * (a + 2 * c + 2 * e + g), speed + LENGTH / 6 * (b + 2 * d + 2 * f + h)


@jax.jit
def advance(state):
    return jax.lax.fori_loop(0, STEPS, runge_kutta, state)


def swinging():
    place, speed = (jax.random.uniform(key, (COUNT,)) for key in jax.random.split(jax.random.key(1)))
    state = [(place, speed)]

    def one_round():
        state[0] = advance(state[0])
        return state[0]

    return one_round, lambda: jnp.abs(state[0][0]).mean(), ROUNDS


run_case(None, swinging)
