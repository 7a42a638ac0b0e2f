"""Lets XLA choose how to compute matrix products of four shapes, and prints what it chose for each."""
import json
import re

import jax
import jax.numpy as jnp

# What XLA writes into the compiled program of a product once it has timed the candidates.
CHOICES = r'custom_call_target="[^"]+"|"selected_algorithm":"?\d+|"triton_gemm_config":\{[^}]*\}|"block_level_fusion_config":\{[^}]*\}'


def main():
    chosen = {}
    for height, width, depth in ((4096, 4096, 1024), (128, 8192, 2048), (8192, 128, 512), (512, 512, 8192)):
        keys = jax.random.split(jax.random.PRNGKey(0), 2)
        a = jax.random.normal(keys[0], (height, depth), jnp.bfloat16)
        b = jax.random.normal(keys[1], (depth, width), jnp.bfloat16)
        compiled = jax.jit(lambda a, b: jax.nn.gelu(a @ b)).lower(a, b).compile()
        compiled(a, b).block_until_ready()
        chosen[f"{height} x {width} x {depth}"] = " ".join(re.findall(CHOICES, compiled.as_text()))
    print(json.dumps(chosen))


if __name__ == "__main__":
    main()
