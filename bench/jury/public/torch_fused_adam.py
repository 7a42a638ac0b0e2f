"""A step of Adam on 200 parameters of 512 x 1024.

Nothing is wrong: a few kernels go through all parameters in order.
The pattern is that of pytorch/pytorch, torch/optim/adam.py, with fused=True."""
import torch

from case import run_case

PARAMETERS, ROWS, COLUMNS, ROUNDS = 200, 512, 1024, 400


def stepping():
    torch.manual_seed(1)
    parameters = [torch.nn.Parameter(torch.rand(ROWS, COLUMNS, device="cuda")) for _ in range(PARAMETERS)]
    for parameter in parameters:
        parameter.grad = torch.rand(ROWS, COLUMNS, device="cuda") - 0.5
    optimiser = torch.optim.Adam(parameters, lr=1e-5, fused=True)
    return optimiser.step, lambda: sum(parameter.detach().double().sum().item() for parameter in parameters), ROUNDS


run_case(None, stepping)
