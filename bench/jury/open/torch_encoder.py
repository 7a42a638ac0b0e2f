"""Clean: a step of an encoder block in 16-bit floats: layer norm, matrix products, GELU, residual, all contiguous."""
import torch

from case import run_case

BATCH, WIDTH, ROUNDS = 16384, 1024, 300


def clean():
    torch.manual_seed(6)
    kind = {"device": "cuda", "dtype": torch.bfloat16}
    x = torch.rand(BATCH, WIDTH, **kind)
    norm = torch.nn.LayerNorm(WIDTH, **kind)
    up, down = torch.nn.Linear(WIDTH, 4 * WIDTH, **kind), torch.nn.Linear(4 * WIDTH, WIDTH, **kind)
    kept = {}

    @torch.no_grad()
    def one_round():
        kept["out"] = x + down(torch.nn.functional.gelu(up(norm(x))))

    return one_round, lambda: kept["out"].double().sum(), ROUNDS


if __name__ == "__main__":
    run_case(None, clean)
