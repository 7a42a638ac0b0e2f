"""Losses of four million pixels of street scenes, added up for each of 19 classes.

At fault: each pixel adds its loss to one of 19 words with an atomic.
The pattern is that of pytorch/pytorch, pull request 168073, where atomics on few places are slow: sums in many parts, so that
neighbours go to other words, and a sum over the parts."""
import torch
from torch.nn import functional

from case import run_case

PICTURES, ACROSS, DOWN, CLASSES, PARTS, ROUNDS = 4, 1024, 1024, 19, 4096, 160
PIXELS = PICTURES * ACROSS * DOWN


def made_tensors():
    torch.manual_seed(1)
    scores = torch.randn(PICTURES, CLASSES, DOWN, ACROSS, device="cuda")
    # Streets, cars and sky: classes of squares of 64 pixels.
    classes = torch.randint(CLASSES, (PICTURES, DOWN // 64, ACROSS // 64), device="cuda")
    return scores, classes.repeat_interleave(64, 1).repeat_interleave(64, 2).contiguous()


def losses_of(scores, classes):
    return functional.cross_entropy(scores, classes, reduction="none").flatten()


def total_of(sums):
    return (sums.double() * torch.arange(1, CLASSES + 1, device="cuda")).sum().item()


def into_nineteen():
    scores, classes = made_tensors()
    results = [None]

    def one_round():
        losses = losses_of(scores, classes)
        results[0] = torch.zeros(CLASSES, device="cuda").scatter_add_(0, classes.flatten(), losses)  # fault

    return one_round, lambda: total_of(results[0]), ROUNDS


def into_many_parts():
    scores, classes = made_tensors()
    results, parts = [None], torch.arange(PIXELS, device="cuda") % PARTS * CLASSES

    def one_round():
        losses = losses_of(scores, classes)
        sums = torch.zeros(PARTS * CLASSES, device="cuda").scatter_add_(0, classes.flatten() + parts, losses)
        results[0] = sums.view(PARTS, CLASSES).sum(0)

    return one_round, lambda: total_of(results[0]), ROUNDS


run_case(into_nineteen, into_many_parts)
