"""Trains a perceptron that forecasts 64 values for 32,768 records a step, and measures the error in true units.

At fault: to undo the scaling of the outputs they go to the host, 8 MB, and from there back to the device.
The pattern is that of MUST-Deep-Learning/KnowIt, issue 263: the scaler keeps its numbers on the host, and shall keep them on
the device."""
import torch
from torch import nn

from case import run_case

RECORDS, WIDTH, OUTPUTS, ROUNDS = 32768, 1024, 64, 120

torch.set_float32_matmul_precision("high")


def made_training():
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, OUTPUTS))
    model.to("cuda")
    records, wanted = torch.randn(RECORDS, WIDTH, device="cuda"), torch.randn(RECORDS, OUTPUTS, device="cuda")
    scales, means = 1 + torch.rand(OUTPUTS), 10 * torch.rand(OUTPUTS)
    return model, torch.optim.SGD(model.parameters(), lr=0.01), records, wanted, scales, means


def train(model, optimiser, records, wanted):
    outputs = model(records)
    loss = nn.functional.mse_loss(outputs, wanted)
    optimiser.zero_grad(set_to_none=True)
    loss.backward()
    optimiser.step()
    return outputs.detach()


def unscaled_on_the_host():
    model, optimiser, records, wanted, scales, means = made_training()
    true = (wanted.cpu() * scales + means).to("cuda")
    errors = torch.zeros((), device="cuda")

    def one_round():
        outputs = train(model, optimiser, records, wanted)
        unscaled = outputs.cpu() * scales + means  # fault
        errors.add_((unscaled.to("cuda") - true).abs().mean())  # fault

    return one_round, lambda: errors.item(), ROUNDS


def unscaled_on_the_device():
    model, optimiser, records, wanted, scales, means = made_training()
    scales, means = scales.to("cuda"), means.to("cuda")
    true = wanted * scales + means
    errors = torch.zeros((), device="cuda")

    def one_round():
        outputs = train(model, optimiser, records, wanted)
        unscaled = outputs * scales + means
        errors.add_((unscaled - true).abs().mean())

    return one_round, lambda: errors.item(), ROUNDS


run_case(unscaled_on_the_host, unscaled_on_the_device)
