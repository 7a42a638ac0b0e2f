"""Trains four layers with Adam in one compiled step whose arrays are given to it. XLA makes one graph of the step, with memory
sets, a copy and cuBLAS's kernels in graphs inside, and changes it before each launch; many launches are under way at once."""
import functools

import jax
import jax.numpy as jnp

ROWS, WIDTH, LAYERS, STEPS = 2048, 4096, 4, 400


def loss_of(weights, rows, wanted):
    hidden = rows
    for weight in weights[:-1]:
        hidden = jax.nn.relu(hidden @ weight)
    return ((hidden @ weights[-1] - wanted) ** 2).mean()


@functools.partial(jax.jit, donate_argnums=(0, 1, 2, 3))
def step(weights, means, squares, power, rows, wanted):
    loss, gradients = jax.value_and_grad(loss_of)(weights, rows, wanted)
    power = power * 0.999
    means = [0.9 * mean + 0.1 * gradient for mean, gradient in zip(means, gradients)]
    squares = [0.999 * square + 0.001 * gradient * gradient for square, gradient in zip(squares, gradients)]
    rate = 1e-6 * jnp.sqrt(1 - power)
    weights = [weight - rate * mean / (jnp.sqrt(square) + 1e-8)
               for weight, mean, square in zip(weights, means, squares)]
    return loss, weights, means, squares, power


def main():
    keys = jax.random.split(jax.random.key(1), LAYERS + 2)
    weights = [jax.random.normal(key, (WIDTH, WIDTH)) * (2 / WIDTH) ** 0.5 for key in keys[:LAYERS]]
    rows, wanted = (jax.random.normal(key, (ROWS, WIDTH)) for key in keys[LAYERS:])
    state = weights, [jnp.zeros_like(weight) for weight in weights], [jnp.zeros_like(weight) for weight in weights], jnp.float32(1)
    loss = None
    for _ in range(STEPS):
        loss, *state = step(*state, rows, wanted)
    print(f"loss {float(loss):.2f}")


main()
