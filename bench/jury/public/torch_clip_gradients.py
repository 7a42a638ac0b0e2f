"""Clips the gradients of 200 parameters by their common norm.

At fault: each parameter's norm comes to the host by itself, 200 copies of 4 bytes that the GPU waits for.
The pattern is that of pytorch/pytorch, torch/nn/utils/clip_grad.py, as issue 31474 found it; its repair keeps the norms on the
device."""
import torch

from case import run_case

PARAMETERS, SIDE, LARGEST, ROUNDS = 200, 256, 1.0, 80


def gradients():
    torch.manual_seed(1)
    sources = [torch.rand(SIDE, SIDE, device="cuda") for _ in range(PARAMETERS)]
    return sources, [torch.empty_like(source) for source in sources]


def clip_on_host(clipped):
    total = 0.0
    for gradient in clipped:
        total += gradient.norm().item() ** 2  # fault
    coefficient = LARGEST / (total**0.5 + 1e-6)
    if coefficient < 1:
        for gradient in clipped:
            gradient.mul_(coefficient)


def clip_on_device(clipped):
    total = torch.linalg.vector_norm(torch.stack(torch._foreach_norm(clipped)))
    torch._foreach_mul_(clipped, torch.clamp(LARGEST / (total + 1e-6), max=1.0))


def side_of(clip):
    def make():
        sources, clipped = gradients()

        def one_round():
            torch._foreach_copy_(clipped, sources)
            clip(clipped)

        return one_round, lambda: sum(gradient.double().sum().item() for gradient in clipped), ROUNDS

    return make


run_case(side_of(clip_on_host), side_of(clip_on_device))
