"""Learns 24 properties of soils, as how much clay, carbon or lime is in them, from spectra of 2048 wavelengths: each
round a network of 6 residual blocks is trained in mixed precision on 8192 samples, and of each sample only some of the
properties are known.

At fault: for each property the samples of which it is known are picked by a mask, twice, so the host waits 48 times a
round to learn how many there are, and the GPU idles between small kernels; find the errors of all at once, and
multiply them by the mask.
The pattern is that of deepmodeling/deepmd-kit, pull request 3361 (an index by a mask makes the host wait, 3 ms a step),
and pytorch/vision, pull request 9518: boxes were picked by a mask in two losses, and are now clamped."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

SAMPLES, WAVES, PROPERTIES, WIDTH, INNER, BLOCKS, SETS, KNOWN, RATE, ROUNDS = (
    8192, 2048, 24, 1024, 4096, 6, 6, 0.4, 1e-6, 380)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)

    def forward(self, state):
        return state + self.down(functional.silu(self.up(self.norm(state))))


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.start, self.blocks = nn.Linear(WAVES, WIDTH), nn.Sequential(*(Block() for _ in range(BLOCKS)))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, PROPERTIES)

    def forward(self, spectra):
        return self.head(self.norm(self.blocks(self.start(spectra)))).float()


def error_of_each(told, known):
    errors = []
    for own, found in zip(told.unbind(1), known.unbind(1)):
        there = ~found.isnan()  # fault
        errors.append(functional.smooth_l1_loss(own[there], found[there]))  # fault
    return torch.stack(errors).mean()


def error_of_all(told, known):
    there = ~known.isnan()
    errors = functional.smooth_l1_loss(told, known.nan_to_num(), reduction="none")
    return ((errors * there).sum(0) / there.sum(0)).mean()


def made_soils():
    """Spectra, and what is known of each sample: NaN where a property was not measured."""
    spectra = torch.randn(SETS, SAMPLES, WAVES, device="cuda", dtype=torch.bfloat16)
    properties = torch.randn(SETS, SAMPLES, PROPERTIES, device="cuda")
    unknown = torch.rand(properties.shape, device="cuda") > KNOWN
    return spectra, properties.masked_fill_(unknown, float("nan"))


class Learner:
    def __init__(self, error):
        self.error, self.network = error, Network().to("cuda")
        self.spectra, self.properties = made_soils()
        self.optimiser = torch.optim.AdamW(self.network.parameters(), lr=RATE, weight_decay=0.05, fused=True)
        self.errors, self.number = torch.zeros((), device="cuda"), 0

    def learn(self):
        own = self.number % SETS
        with torch.autocast("cuda", dtype=torch.bfloat16):
            told = self.network(self.spectra[own])
        error = self.error(told, self.properties[own])  # fault
        error.backward()  # fault
        self.optimiser.step()
        self.optimiser.zero_grad()
        self.errors.add_(error.detach())
        self.number += 1


def digging(error):
    torch.manual_seed(1)
    learner = Learner(error)
    return learner.learn, lambda: learner.errors.item(), ROUNDS


run_case(lambda: digging(error_of_each), lambda: digging(error_of_all))
