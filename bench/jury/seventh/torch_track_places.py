"""Places of eight sensors along 16,384 steps, from the moves that a network expects for each step.

At fault: the moves are added up along the rows of a narrow matrix, where each column is one thread of a single block.
The pattern is that of pytorch/pytorch, issue 122170: two to 32 columns are more than a thousand times as slow as one, which
another kernel takes."""
import torch

from case import run_case

STEPS, SENSORS, WIDTH, LAYERS, ROUNDS = 16384, 8, 2048, 3, 80

torch.set_float32_matmul_precision("high")


def made_tensors():
    torch.manual_seed(1)
    layers = [torch.randn(WIDTH, WIDTH, device="cuda") / WIDTH ** 0.5 for _ in range(LAYERS)]
    return torch.randn(STEPS, WIDTH, device="cuda"), layers, torch.randn(WIDTH, SENSORS, device="cuda") / WIDTH


def moves_of(features, layers, last):
    for weights in layers:
        features = torch.relu(features @ weights)
    return features @ last


def total_of(places):
    return places.double().abs().sum().item()


def along_the_rows():
    features, layers, last = made_tensors()
    results = [None]

    def one_round():
        results[0] = moves_of(features, layers, last).cumsum(0)  # fault

    return one_round, lambda: total_of(results[0]), ROUNDS


def sensor_by_sensor():
    features, layers, last = made_tensors()
    results = [None]

    def one_round():
        moves = moves_of(features, layers, last).t().contiguous()
        results[0] = torch.stack([own.cumsum(0) for own in moves])

    return one_round, lambda: total_of(results[0]), ROUNDS


run_case(along_the_rows, sensor_by_sensor)
