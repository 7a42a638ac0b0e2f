"""Loss of 80 classes for each point of 32 pictures.

At fault: one_hot makes integers of 8 bytes, which are converted and then multiplied, each a tensor of its own.
The pattern is that of ultralytics/ultralytics, pull request 25244: one tensor of floats and scatter_."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

PICTURES, SIDE, CLASSES, WIDTH, ROUNDS = 32, 160, 80, 64, 1500


class Pictures:
    def __init__(self):
        torch.manual_seed(1)
        self.head = nn.Conv2d(WIDTH, CLASSES, 1).to("cuda", torch.bfloat16).to(memory_format=torch.channels_last)
        features = torch.randn(PICTURES, WIDTH, SIDE, SIDE, device="cuda").bfloat16()
        self.features = features.to(memory_format=torch.channels_last)
        self.masks = torch.randint(CLASSES, (PICTURES, SIDE, SIDE), device="cuda")
        self.present = (torch.rand(PICTURES, SIDE, SIDE, device="cuda") < 0.7).float()
        self.loss = None

    @torch.no_grad()
    def compare_with(self, targets):
        scores = self.head(self.features).permute(0, 2, 3, 1).float()
        self.loss = functional.binary_cross_entropy_with_logits(scores, targets)

    def total(self):
        return self.loss.item()


def by_integers():
    pictures = Pictures()

    def one_round():
        targets = functional.one_hot(pictures.masks, CLASSES)  # fault
        targets = targets.float()  # fault
        targets = targets * pictures.present.unsqueeze(-1)  # fault
        pictures.compare_with(targets)

    return one_round, pictures.total, ROUNDS


def by_scatter():
    pictures = Pictures()

    def one_round():
        targets = torch.zeros(PICTURES, SIDE, SIDE, CLASSES, device="cuda")
        targets.scatter_(3, pictures.masks.unsqueeze(-1), pictures.present.unsqueeze(-1))
        pictures.compare_with(targets)

    return one_round, pictures.total, ROUNDS


run_case(by_integers, by_scatter)
