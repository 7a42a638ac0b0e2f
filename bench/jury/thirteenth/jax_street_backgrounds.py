"""Watches four streets: keeps the last 48 pictures of each camera, and counts the pixels that differ from what was there
before.

At fault: the memory of pictures is not given to the step, so that each step copies all 805 MB of it to put in one picture.
The pattern is that of sgl-project/sglang-jax, issue 65, and ComputationalPsychiatry/pyhgf, pull request 414: what a step
changes is donated to it."""
import jax
import jax.numpy as jnp

from case import run_case

KEPT, CAMERAS, SIDE, BOUND, LEAST, ROUNDS = 48, 4, 1024, 3.0, 0.02, 5000


def picture(streets, number):
    """Light that wavers, and something that passes by."""
    along = jnp.arange(SIDE, dtype=jnp.float32) / SIDE
    there = jnp.abs(along - number % 500 / 500) < 0.03
    return streets * (1 + 0.05 * jnp.sin(40 * streets + 0.1 * number)) + there.astype(jnp.float32)


def watched(memory, counted, number, streets):
    seen = picture(streets, number)
    memory = jax.lax.dynamic_update_index_in_dim(memory, seen, number.astype(jnp.int32) % KEPT, 0)  # fault
    mean, squares = memory.sum(0) / KEPT, jnp.square(memory).sum(0) / KEPT
    spread = jnp.sqrt(jnp.maximum(squares - jnp.square(mean), 0))
    moved = jnp.abs(seen - mean) > BOUND * spread + LEAST
    return memory, counted + moved.mean(), number + 1


def watching(step):
    streets = jax.random.uniform(jax.random.key(1), (CAMERAS, SIDE, SIDE))
    kept = [jnp.broadcast_to(streets, (KEPT, CAMERAS, SIDE, SIDE)) + 0, jnp.zeros(()), jnp.zeros(())]

    def one_round():
        kept[:] = step(*kept, streets)  # fault
        return kept[1]

    return one_round, lambda: float(kept[1]) + float(kept[0].mean()), ROUNDS


run_case(lambda: watching(jax.jit(watched)), lambda: watching(jax.jit(watched, donate_argnums=(0, 1, 2))))
