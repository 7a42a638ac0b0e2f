"""Losses of a language model for four texts of 1024 words and their gradients: each word shall expect the next one, among
32,768.

At fault: the last score of each text is cut off and the rest copied, 537 MB, which is copied back for the gradients.
The pattern is that of huggingface/transformers, pull request 35646, which shifts the words instead of the scores."""
import torch
from torch.nn import functional

from case import run_case

TEXTS, LENGTH, WIDTH, WORDS, ROUNDS, IGNORED = 4, 1024, 512, 32768, 120, -100

torch.set_float32_matmul_precision("high")


def made_tensors():
    torch.manual_seed(1)
    hidden = torch.randn(TEXTS, LENGTH, WIDTH, device="cuda", requires_grad=True)
    weights = (torch.randn(WORDS, WIDTH, device="cuda") / WIDTH ** 0.5).requires_grad_()
    return hidden, weights, torch.randint(WORDS, (TEXTS, LENGTH), device="cuda")


def find_gradients(hidden, weights, loss):
    hidden.grad = weights.grad = None
    loss.backward()


def total_of(hidden, loss):
    return loss.item() + hidden.grad.double().abs().sum().item()


def shifted_scores():
    hidden, weights, words = made_tensors()
    results = [None]

    def one_round():
        scores = functional.linear(hidden, weights)
        scores = scores[:, :-1].contiguous()  # fault
        wanted = words[:, 1:].contiguous()
        results[0] = functional.cross_entropy(scores.view(-1, WORDS), wanted.view(-1))
        find_gradients(hidden, weights, results[0])  # fault

    return one_round, lambda: total_of(hidden, results[0]), ROUNDS


def shifted_words():
    hidden, weights, words = made_tensors()
    results = [None]

    def one_round():
        scores = functional.linear(hidden, weights)
        wanted = functional.pad(words[:, 1:], (0, 1), value=IGNORED)
        results[0] = functional.cross_entropy(scores.view(-1, WORDS), wanted.reshape(-1), ignore_index=IGNORED)
        find_gradients(hidden, weights, results[0])

    return one_round, lambda: total_of(hidden, results[0]), ROUNDS


run_case(shifted_scores, shifted_words)
