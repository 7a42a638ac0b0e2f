"""Trains a network with JAX, whose XLA tunes its matrix products first.

Planted: each step reads every eighth column of a table (G01). (The batches lie in pageable memory, which JAX copies through
pinned memory of its own.)"""
import sys

import jax
import jax.numpy as jnp
import numpy

from steady import steady

SIZES = [1024, 4096, 2048, 4096, 512]
BATCH = 4096


def forward(weights, x):
    for weight in weights[:-1]:
        x = jax.nn.gelu(x @ weight)
    return x @ weights[-1]


def loss_of(weights, x, y):
    return jnp.mean((forward(weights, x).astype(jnp.float32) - y) ** 2)


@jax.jit
def step(weights, x, y):
    loss, gradients = jax.value_and_grad(loss_of)(weights, x, y)
    return loss, [w - 0.1 * g.astype(w.dtype) for w, g in zip(weights, gradients)]


@jax.jit
def add_columns(table, sums):
    return sums + 2 * table[:, ::8]  # planted


def main():
    steps = int(sys.argv[1])
    keys = jax.random.split(jax.random.PRNGKey(0), len(SIZES))
    weights = [jax.random.normal(key, shape, jnp.bfloat16) * 0.02
               for key, shape in zip(keys, zip(SIZES[:-1], SIZES[1:]))]
    batches = numpy.random.default_rng(0).standard_normal((8, BATCH, SIZES[0]), dtype=numpy.float32)
    y = jax.random.normal(keys[-1], (BATCH, SIZES[-1]))
    table = jax.random.normal(keys[-1], (BATCH, 8192))
    sums = jnp.zeros((BATCH, 1024))
    for number in range(3):
        loss, weights = step(weights, jnp.asarray(batches[number], jnp.bfloat16), y)
        sums = add_columns(table, sums)
    loss.block_until_ready()
    for number in steady(steps, lambda: jax.block_until_ready(weights)):
        loss, weights = step(weights, jnp.asarray(batches[number % 8], jnp.bfloat16), y)
        sums = add_columns(table, sums)
    print(f"loss {float(loss):.1f}, columns {float(sums.sum()):.0f}")


if __name__ == "__main__":
    main()
