"""Updates of 16 matrices of 1024 x 2048 by orthogonal directions, compiled as a whole.

Nothing is wrong: batched products of the library, and kernels that the compiler fused.
The pattern is that of the optimiser Muon in google-deepmind/optax, pull request 1126."""
import jax
import jax.numpy as jnp

from case import run_case

MATRICES, ROWS, COLUMNS, STEPS, ROUNDS = 16, 1024, 2048, 5, 500


@jax.jit
def update(weights, momenta, gradients):
    momenta = 0.95 * momenta + gradients
    norms = jnp.sqrt(jnp.square(momenta).sum((1, 2), keepdims=True)) + 1e-7
    turned = (momenta / norms).astype(jnp.bfloat16)
    for _ in range(STEPS):
        square = turned @ jnp.swapaxes(turned, 1, 2)
        turned = 3.4445 * turned + (-4.775 * square + 2.0315 * (square @ square)) @ turned
    return weights - 0.001 * turned.astype(jnp.float32), momenta


def updating():
    keys = jax.random.split(jax.random.key(1), 2)
    weights, gradients = (jax.random.normal(key, (MATRICES, ROWS, COLUMNS), jnp.float32) for key in keys)
    state = [weights, jnp.zeros_like(weights)]

    def one_round():
        state[:] = update(*state, gradients)
        return tuple(state)

    return one_round, lambda: jnp.abs(state[0]).mean(), ROUNDS


run_case(None, updating)
