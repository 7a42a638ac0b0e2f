"""Samples of a posterior of 128 weights, in 4096 chains at once, by eight leaps each.

Nothing is wrong: products of the library, kernels that the compiler fused, and random numbers from the device.
The pattern is that of the Hamiltonian steps in blackjax-devs/blackjax, blackjax/mcmc/integrators.py."""
import jax
import jax.numpy as jnp

from case import run_case

CHAINS, ROWS, WEIGHTS, LEAPS, STEP, ROUNDS = 4096, 4096, 128, 8, 0.002, 300


def potential(weights, rows, labels):
    scores = weights @ rows.T
    return (jax.nn.softplus(scores) - labels * scores).sum(1) + 0.5 * jnp.square(weights).sum(1)


def slope(weights, rows, labels):
    return (jax.nn.sigmoid(weights @ rows.T) - labels) @ rows + weights


@jax.jit
def sample(key, weights, rows, labels):
    key, key_of_momenta, key_of_choice = jax.random.split(key, 3)
    momenta = jax.random.normal(key_of_momenta, weights.shape, jnp.float32)
    before = potential(weights, rows, labels) + 0.5 * jnp.square(momenta).sum(1)
    moved = weights
    momenta = momenta - 0.5 * STEP * slope(moved, rows, labels)
    for leap in range(LEAPS):
        moved = moved + STEP * momenta
        momenta = momenta - (STEP if leap < LEAPS - 1 else 0.5 * STEP) * slope(moved, rows, labels)
    after = potential(moved, rows, labels) + 0.5 * jnp.square(momenta).sum(1)
    taken = jnp.log(jax.random.uniform(key_of_choice, (CHAINS,), jnp.float32, 1e-12)) < before - after
    return key, jnp.where(taken[:, None], moved, weights)


def sampling():
    keys = jax.random.split(jax.random.key(1), 4)
    rows = jax.random.normal(keys[0], (ROWS, WEIGHTS), jnp.float32)
    labels = jax.random.bernoulli(keys[1], 0.5, (ROWS,)).astype(jnp.float32)
    state = [keys[2], 0.1 * jax.random.normal(keys[3], (CHAINS, WEIGHTS), jnp.float32)]

    def one_round():
        state[:] = sample(*state, rows, labels)
        return state[1]

    return one_round, lambda: jnp.abs(state[1]).mean(), ROUNDS


run_case(None, sampling)
