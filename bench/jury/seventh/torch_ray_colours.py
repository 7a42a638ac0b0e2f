"""Trains a network to tell the colours of 65,536 rays a step, which are pixels of 64 pictures.

At fault: the pictures stay on the host, which picks the colours of each step and copies them from ordinary memory, while the
device waits.
The pattern is that of nerfstudio-project/nerfstudio, pull request 2288: pictures on the device, up to 3.5 times as fast."""
import torch
from torch import nn

from case import run_case

PICTURES, SIDE, RAYS, WIDTH, LAYERS, WAVES, ROUNDS = 64, 512, 65536, 256, 4, 10, 120
PIXELS = PICTURES * SIDE * SIDE

torch.set_float32_matmul_precision("high")


class Training:
    def __init__(self):
        torch.manual_seed(1)
        inner = [part for _ in range(LAYERS - 1) for part in (nn.Linear(WIDTH, WIDTH), nn.ReLU())]
        self.model = nn.Sequential(nn.Linear(6 * WAVES, WIDTH), nn.ReLU(), *inner, nn.Linear(WIDTH, 3)).to("cuda")
        self.optimiser = torch.optim.Adam(self.model.parameters(), lr=1e-4, foreach=True)
        self.waves = 3.14159 * 2.0 ** torch.arange(WAVES, device="cuda")
        self.pictures = torch.rand(PIXELS, 3)
        self.number = 0

    def picked(self, device):
        """Pixels that look random, and are the same on each device."""
        self.number += 1
        return (torch.arange(RAYS, device=device) * 2654435761 + self.number * 40503) % PIXELS

    def learn(self, pixels, colours):
        """From colours, on the device."""
        parts = (pixels // (SIDE * SIDE) / PICTURES, pixels // SIDE % SIDE / SIDE, pixels % SIDE / SIDE)
        angles = (torch.stack(parts, 1)[:, :, None] * self.waves).flatten(1)
        self.optimiser.zero_grad(set_to_none=True)
        (self.model(torch.cat([angles.sin(), angles.cos()], 1)) - colours).square().mean().backward()
        self.optimiser.step()

    def total(self):
        return sum(weights.detach().double().abs().sum() for weights in self.model.parameters()).item()


def pictures_on_the_host():
    training = Training()

    def one_round():
        pixels = training.picked("cpu")
        colours = training.pictures[pixels]  # fault
        training.learn(pixels.to("cuda"), colours.to("cuda"))  # fault

    return one_round, training.total, ROUNDS


def pictures_on_the_device():
    training = Training()
    pictures = training.pictures.to("cuda")

    def one_round():
        pixels = training.picked("cuda")
        training.learn(pixels, pictures[pixels])

    return one_round, training.total, ROUNDS


run_case(pictures_on_the_host, pictures_on_the_device)
