"""Updates of eight matrices of 4096 x 4096 by the signs of their momenta.

Nothing is wrong: one kernel reads weights, gradients and momenta once, and its lanes take neighbouring values.
The pattern is that of the optimiser in lucidrains/lion-pytorch, lion_pytorch/triton.py."""
import torch
import triton
import triton.language as tl

from case import run_case

MATRICES, SIDE, BLOCK, ROUNDS = 8, 4096, 1024, 500


@triton.jit
def update_by_sign(weights, momenta, gradients, rate, decay, near, far, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    there = at < count
    weight, momentum = tl.load(weights + at, mask=there), tl.load(momenta + at, mask=there)
    gradient = tl.load(gradients + at, mask=there)
    change = momentum * near + gradient * (1 - near)
    sign = tl.where(change > 0, 1.0, tl.where(change < 0, -1.0, 0.0))
    tl.store(weights + at, weight * (1 - rate * decay) - rate * sign, mask=there)
    tl.store(momenta + at, momentum * far + gradient * (1 - far), mask=there)


def updating():
    torch.manual_seed(1)
    weights, gradients = ([torch.randn(SIDE, SIDE, device="cuda") for _ in range(MATRICES)] for _ in range(2))
    momenta = [torch.zeros_like(each) for each in weights]
    count = SIDE * SIDE

    def one_round():
        for weight, momentum, gradient in zip(weights, momenta, gradients):
            update_by_sign[(count // BLOCK,)](
                weight, momentum, gradient, 1e-4, 0.1, 0.9, 0.99, count, BLOCK=BLOCK, num_warps=8)

    return one_round, lambda: sum(each.double().abs().sum() for each in weights).item(), ROUNDS


run_case(None, updating)
