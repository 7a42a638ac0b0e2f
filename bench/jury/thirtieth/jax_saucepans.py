"""Learns how saucepans get warm: from what a coil heats at 128 places of the bottom, a network tells how warm any place
is at any time. One part of it reads the coil, another one reads place and time; products of what both say are the
answer. The true answer is a sum of waves that die away. Each round has four steps in one compiled function, and each
step sees 256 new coils and 32768 new places and times."""
import functools

import jax
import jax.numpy as jnp
from jax import lax

from case import run_case

COILS, SENSORS, PLACES, SIDE, STEPS, ROUNDS = 256, 128, 32768, 10, 4, 300
WIDTH, HIDDEN, TURNS, RATE, FIRST, SECOND, SMALL, RISE, SPREAD = 1024, 3, 64, 5e-4, 0.9, 0.99, 1e-8, 40, 0.02
WAVES = SIDE * SIDE
SIZES = {"coil": (SENSORS, *(WIDTH,) * (HIDDEN + 1)), "place": (2 * TURNS, *(WIDTH,) * (HIDDEN + 1))}


def waves(x, y):
    """Each wave at each place."""
    numbers = jnp.pi * jnp.arange(1, SIDE + 1)
    along, across = jnp.sin(x[:, None] * numbers), jnp.sin(y[:, None] * numbers)
    return (along[:, :, None] * across[:, None]).reshape(-1, WAVES)


def fades():
    """How fast each wave dies away."""
    squares = jnp.arange(1, SIDE + 1) ** 2
    return SPREAD * jnp.pi ** 2 * (squares[:, None] + squares).reshape(WAVES)


def drawn(key, sensors):
    """Coils, places and times, and how warm it is there."""
    coil_key, place_key = jax.random.split(key)
    strength = jax.random.normal(coil_key, (COILS, WAVES)) / (0.2 + fades())
    spots = jax.random.uniform(place_key, (PLACES, 3))
    x, y, time = spots.T
    grown = waves(x, y) * (1 - jnp.exp(-fades() * time[:, None])) / fades()
    return strength @ waves(*sensors.T).T, spots, strength @ grown.T


def through(layers, state):
    """Products in bfloat16; the last layer has no bend."""
    for number, (weight, bias) in enumerate(layers):
        state = state.astype(jnp.bfloat16) @ weight.astype(jnp.bfloat16) + bias.astype(jnp.bfloat16)
        if number < HIDDEN:
            state = jax.nn.gelu(state)
    return state


def error(network, turns, coils, spots, warmth):
    angles = spots @ turns
    places = through(network["place"], jnp.concatenate((jnp.sin(angles), jnp.cos(angles)), 1))
    coils = through(network["coil"], coils)
    told = jnp.matmul(coils, places.T, preferred_element_type=jnp.float32) / WIDTH ** 0.5
    return ((told - warmth) ** 2).mean()


def rate_of(number):
    return RATE * jnp.minimum(1.0, (number + 1) / RISE) / (1 + number / (STEPS * ROUNDS))


def changed(network, slopes, means, squares, number):
    """A step of Adam."""
    means = jax.tree.map(lambda old, new: FIRST * old + (1 - FIRST) * new, means, slopes)
    squares = jax.tree.map(lambda old, new: SECOND * old + (1 - SECOND) * new * new, squares, slopes)
    late, later = 1 - FIRST ** (number + 1), 1 - SECOND ** (number + 1)
    network = jax.tree.map(
        lambda own, mean, square: own - rate_of(number) * (mean / late) / (jnp.sqrt(square / later) + SMALL),
        network, means, squares)
    return network, means, squares


@functools.partial(jax.jit, donate_argnums=0)
def learn(state, turns, sensors):
    """Steps of a round."""
    def step(state, _):
        network, means, squares, key, number, losses = state
        key, own_key = jax.random.split(key)
        loss, slopes = jax.value_and_grad(error)(network, turns, *drawn(own_key, sensors))
        network, means, squares = changed(network, slopes, means, squares, number)
        return (network, means, squares, key, number + 1, losses + loss), None

    return lax.scan(step, state, None, length=STEPS)[0]


def begun(key):
    network = {}
    for name, sizes in SIZES.items():
        key, own_key = jax.random.split(key)
        keys = jax.random.split(own_key, len(sizes) - 1)
        network[name] = [(jax.random.normal(own, (inputs, outputs)) * (1.5 / inputs) ** 0.5, jnp.zeros(outputs))
                         for own, inputs, outputs in zip(keys, sizes, sizes[1:])]
    means, squares = (jax.tree.map(jnp.zeros_like, network) for _ in range(2))
    return network, means, squares, key, jnp.zeros(()), jnp.zeros(())


class Kitchen:
    def __init__(self):
        turn_key, sensor_key, key = jax.random.split(jax.random.key(1), 3)
        self.turns = 5.0 * jax.random.normal(turn_key, (3, TURNS))
        self.sensors = jax.random.uniform(sensor_key, (SENSORS, 2))
        self.state = begun(key)

    def learn(self):
        self.state = learn(self.state, self.turns, self.sensors)
        return self.state

    def total(self):
        """The mean loss of all steps."""
        return self.state[-1] / (STEPS * ROUNDS)


def cooking():
    kitchen = Kitchen()
    return kitchen.learn, kitchen.total, ROUNDS


run_case(None, cooking)
