"""Advantages of 1024 words in each of 512 written texts, after a network that values the words.

At fault: a loop over the words, with small operations for each, though without discounts a sum backwards will do.
The pattern is that of NVIDIA-NeMo/RL, pull request 4156: a reversed cumsum when no discount is given."""
import torch
from torch import nn

from case import run_case

TEXTS, WORDS, WIDTH, ROUNDS = 512, 1024, 1024, 120


class Texts:
    def __init__(self):
        torch.manual_seed(1)
        self.net = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH), nn.ReLU(),
                                 nn.Linear(WIDTH, 8)).to("cuda", torch.bfloat16)
        self.hidden = torch.randn(TEXTS, WORDS, WIDTH, device="cuda", dtype=torch.bfloat16)
        self.rewards = torch.randn(TEXTS, WORDS, device="cuda") * 0.1
        self.advantages = None

    def values(self):
        return self.net(self.hidden).float().mean(-1)

    def total(self):
        return self.advantages.double().abs().sum().item()


def word_by_word():
    texts = Texts()

    @torch.no_grad()
    def one_round():
        values = texts.values()
        advantages = torch.empty_like(values)
        later, running = torch.zeros(TEXTS, device="cuda"), torch.zeros(TEXTS, device="cuda")
        for word in reversed(range(WORDS)):
            surprise = texts.rewards[:, word] + later - values[:, word]  # fault
            running = surprise + running  # fault
            advantages[:, word] = running  # fault
            later = values[:, word]
        texts.advantages = advantages

    return one_round, texts.total, ROUNDS


def all_words():
    texts = Texts()

    @torch.no_grad()
    def one_round():
        values = texts.values()
        texts.advantages = texts.rewards.flip(1).cumsum(1).flip(1) - values

    return one_round, texts.total, ROUNDS


run_case(word_by_word, all_words)
