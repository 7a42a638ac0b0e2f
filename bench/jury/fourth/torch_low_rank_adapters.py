"""Gradients of adapters of rank 16 beside two frozen layers of 4096 x 4096, for 16,384 tokens.

Nothing is wrong: products of the library, and kernels over contiguous tensors.
The pattern is that of huggingface/peft, src/peft/tuners/lora/layer.py."""
import torch
from torch.nn import functional

from case import run_case

TOKENS, WIDTH, RANK, ROUNDS = 16384, 4096, 16, 250


def adapting():
    torch.manual_seed(1)

    def made(*shape, scale):
        return torch.randn(*shape, device="cuda", dtype=torch.bfloat16) * scale

    tokens, wanted = made(TOKENS, WIDTH, scale=1), made(TOKENS, WIDTH, scale=1)
    frozen = [made(WIDTH, WIDTH, scale=1 / 64) for _ in range(2)]
    downs = [made(RANK, WIDTH, scale=1 / 64).requires_grad_() for _ in frozen]
    ups = [made(WIDTH, RANK, scale=1 / 4).requires_grad_() for _ in frozen]
    results = [None]

    def one_round():
        hidden = tokens
        for weights, down, up in zip(frozen, downs, ups):
            small = functional.linear(hidden, down)
            hidden = functional.silu(functional.linear(hidden, weights) + functional.linear(small, up))
        results[0] = torch.autograd.grad(functional.mse_loss(hidden, wanted), downs + ups)

    return one_round, lambda: sum(gradient.double().abs().sum() for gradient in results[0]).item(), ROUNDS


run_case(None, adapting)
