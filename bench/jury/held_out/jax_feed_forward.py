"""The feed-forward half of a layer for 32,768 words of 1024 numbers, compiled as a whole.

Nothing is wrong: products of the library, and kernels that the compiler fused.
The pattern is that of google/flax, examples/lm1b/models.py."""
import jax
import jax.numpy as jnp

from case import run_case

WORDS, WIDTH, INNER, ROUNDS = 32768, 1024, 4096, 400


@jax.jit
def layer(words, up, down):
    numbers = words.astype(jnp.float32)
    centred = numbers - numbers.mean(-1, keepdims=True)
    normed = centred * jax.lax.rsqrt((centred * centred).mean(-1, keepdims=True) + 1e-6)
    return words + jax.nn.gelu(normed.astype(words.dtype) @ up) @ down


def feeding():
    keys, dtype = jax.random.split(jax.random.key(1), 3), jnp.bfloat16
    words = jax.random.normal(keys[0], (WORDS, WIDTH), dtype)
    up = jax.random.normal(keys[1], (WIDTH, INNER), dtype) / 32
    down = jax.random.normal(keys[2], (INNER, WIDTH), dtype) / 64
    results = [None]

    def one_round():
        results[0] = layer(words, up, down)
        return results[0]

    return one_round, lambda: jnp.abs(results[0].astype(jnp.float32)).mean(), ROUNDS


run_case(None, feeding)
