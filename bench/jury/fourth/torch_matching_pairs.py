"""The contrastive loss of 8192 pictures and their captions, and its gradients.

At fault: the scores by caption are the scores by picture turned round, so that the loss copies them, and adds their gradients,
across the rows.
The patterns are those of openai/CLIP, which turns the scores round, and of mlfoundations/open_clip, which multiplies again."""
import torch
from torch.nn import functional

from case import run_case

PAIRS, WIDTH, SCALE, ROUNDS = 8192, 128, 20.0, 350

torch.set_float32_matmul_precision("high")


def made_features():
    torch.manual_seed(1)
    pictures = functional.normalize(torch.randn(PAIRS, WIDTH, device="cuda"), dim=1)
    captions = functional.normalize(pictures + 0.1 * torch.randn(PAIRS, WIDTH, device="cuda"), dim=1)
    return pictures.requires_grad_(), captions.requires_grad_(), torch.arange(PAIRS, device="cuda")


def total_of(gradients):
    return sum(gradient.double().abs().sum() for gradient in gradients).item()


def turned_round():
    pictures, captions, own = made_features()
    results = [None]

    def one_round():
        by_picture = (SCALE * pictures) @ captions.t()
        loss = functional.cross_entropy(by_picture, own)
        loss = loss + functional.cross_entropy(by_picture.t(), own)  # fault
        results[0] = torch.autograd.grad(loss, (pictures, captions))  # fault

    return one_round, lambda: total_of(results[0]), ROUNDS


def multiplied_twice():
    pictures, captions, own = made_features()
    results = [None]

    def one_round():
        by_picture = (SCALE * pictures) @ captions.t()
        by_caption = (SCALE * captions) @ pictures.t()
        loss = functional.cross_entropy(by_picture, own)
        loss = loss + functional.cross_entropy(by_caption, own)
        results[0] = torch.autograd.grad(loss, (pictures, captions))

    return one_round, lambda: total_of(results[0]), ROUNDS


run_case(turned_round, multiplied_twice)
