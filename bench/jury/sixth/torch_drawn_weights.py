"""Predictions of three Bayesian layers for 131,072 records, with weights drawn anew in each step.

At fault: the noise of the weights is drawn on the host and copied to the device from ordinary memory, and the device idles
meanwhile.
The pattern is that of kumar-shridhar/PyTorch-BayesianCNN, pull request 3, which draws on the device, 7 times as fast. The
draws of the two sides differ, and change the sum by far less than 0.1 %."""
import torch

from case import run_case

RECORDS, WIDTH, LAYERS, SPREAD, ROUNDS = 131072, 512, 3, 0.001, 200

torch.set_float32_matmul_precision("high")


def made_layers():
    torch.manual_seed(1)
    means = [torch.randn(WIDTH, WIDTH, device="cuda") / WIDTH ** 0.5 for _ in range(LAYERS)]
    spreads = [SPREAD / WIDTH ** 0.5 * (0.5 + torch.rand(WIDTH, WIDTH, device="cuda")) for _ in range(LAYERS)]
    return torch.randn(RECORDS, WIDTH, device="cuda"), means, spreads


def predicted(records, weights):
    for weight in weights:
        records = torch.relu(records @ weight)
    return records


def total_of(predictions):
    return predictions.double().sum().item()


def drawn_on_the_host():
    records, means, spreads = made_layers()
    results = [None]

    def one_round():
        weights = [mean + spread * torch.randn(WIDTH, WIDTH).to("cuda") for mean, spread in zip(means, spreads)]  # fault
        results[0] = predicted(records, weights)

    return one_round, lambda: total_of(results[0]), ROUNDS


def drawn_on_the_device():
    records, means, spreads = made_layers()
    results = [None]

    def one_round():
        weights = [mean + spread * torch.randn(WIDTH, WIDTH, device="cuda") for mean, spread in zip(means, spreads)]
        results[0] = predicted(records, weights)

    return one_round, lambda: total_of(results[0]), ROUNDS


run_case(drawn_on_the_host, drawn_on_the_device)
