"""Trains four layers of 4096 x 4096 weights on 2048 rows with Adam.

At fault: only loss and gradients are compiled, so each operation of the optimiser brings whole weights from DRAM.
The pattern is that of google-deepmind/optax, issue 319: the update and what applies it belong into jit, too."""
import functools

import jax
import jax.numpy as jnp

from case import run_case

ROWS, WIDTH, LAYERS, ROUNDS = 2048, 4096, 4, 400


def made_state():
    keys = jax.random.split(jax.random.key(1), LAYERS + 2)
    weights = [jax.random.normal(key, (WIDTH, WIDTH)) * (2 / WIDTH) ** 0.5 for key in keys[:LAYERS]]
    rows, wanted = (jax.random.normal(key, (ROWS, WIDTH)) for key in keys[LAYERS:])
    zeros = [jnp.zeros_like(weight) for weight in weights]
    return weights, zeros, [zero.copy() for zero in zeros], jnp.float32(1), jnp.float32(1), rows, wanted


def made_numbers():
    """Decays, what they leave, rate, least root and one: on the device, so that no step sends them there."""
    return [jax.device_put(jnp.float32(number)) for number in (0.9, 0.1, 0.999, 0.001, 1e-6, 1e-8, 1.0)]


def loss_of(weights, rows, wanted):
    hidden = rows
    for weight in weights[:-1]:
        hidden = jax.nn.relu(hidden @ weight)
    return ((hidden @ weights[-1] - wanted) ** 2).mean()


def adam(weights, means, squares, power, slow_power, gradients, numbers):
    decay, rest, slow, little, rate, least, one = numbers
    power, slow_power = power * decay, slow_power * slow
    rate = rate * jnp.sqrt(one - slow_power) / (one - power)
    means = [decay * mean + rest * gradient for mean, gradient in zip(means, gradients)]  # fault
    squares = [slow * square + little * gradient * gradient for square, gradient in zip(squares, gradients)]  # fault
    weights = [weight - rate * mean / (jnp.sqrt(square) + least)  # fault
               for weight, mean, square in zip(weights, means, squares)]
    return weights, means, squares, power, slow_power


gradients_of = jax.jit(jax.value_and_grad(loss_of))


def step_by_step(weights, means, squares, power, slow_power, rows, wanted, numbers):
    loss, gradients = gradients_of(weights, rows, wanted)
    return loss, *adam(weights, means, squares, power, slow_power, gradients, numbers)  # fault


@functools.partial(jax.jit, donate_argnums=(0, 1, 2, 3, 4))
def at_once(weights, means, squares, power, slow_power, rows, wanted, numbers):
    loss, gradients = jax.value_and_grad(loss_of)(weights, rows, wanted)
    return loss, *adam(weights, means, squares, power, slow_power, gradients, numbers)


def training(step):
    *state, rows, wanted = made_state()
    numbers, kept = made_numbers(), [state, None]

    def one_round():
        kept[1], *kept[0] = step(*kept[0], rows, wanted, numbers)
        return kept[1], kept[0]

    return one_round, lambda: float(kept[1]), ROUNDS


run_case(lambda: training(step_by_step), lambda: training(at_once))
