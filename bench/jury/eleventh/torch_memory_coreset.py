"""Chooses which of 262,144 patches of faultless pictures a detector of anomalies keeps: always the one that is farthest
from all that are kept.

At fault: the number of each chosen patch is read on the host, so the GPU idles until the host has launched the next choice.
The pattern is that of open-edge-platform/anomalib, pull request 3651: numbers stay tensors until the loop has ended."""
import torch

from case import run_case

PATCHES, VALUES, ROUNDS = 1 << 18, 128, 14000


class Coreset:
    def __init__(self, chosen_from):
        torch.manual_seed(1)
        bases = torch.randn(512, VALUES, device="cuda")
        self.patches = torch.randn(PATCHES, VALUES, device="cuda").mul_(0.5)
        self.patches += bases[torch.randint(0, 512, (PATCHES,), device="cuda")]
        self.squares = self.patches.square().sum(1)
        self.nearest = torch.full((PATCHES,), float("inf"), device="cuda")
        self.centre = self.patches[:1]
        self.chosen_from, self.chosen = chosen_from, []

    def choose(self):
        """One more patch, after what is nearest to each patch has been told of the one before."""
        distances = torch.addmv(self.squares, self.patches, self.centre.view(-1), alpha=-2)
        distances += self.centre.square().sum()
        torch.minimum(self.nearest, distances, out=self.nearest)
        number, self.centre = self.chosen_from(self.patches, self.nearest)
        self.chosen.append(number)

    def covered(self):
        return self.nearest.clamp_min(0).sqrt().double().sum().item()


def by_number(patches, nearest):
    number = nearest.argmax().item()  # fault
    return number, patches[number:number + 1]


def by_tensor(patches, nearest):
    number = nearest.argmax(0, keepdim=True)
    return number, patches.index_select(0, number)


def choosing(chosen_from):
    coreset = Coreset(chosen_from)
    return coreset.choose, coreset.covered, ROUNDS


run_case(lambda: choosing(by_number), lambda: choosing(by_tensor))
