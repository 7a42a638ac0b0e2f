"""Adds the biases of experts to tokens that are sorted by experts, in 24 layers.

At fault: repeat_interleave asks the device for the length of its result in each layer, though the host knows it.
The pattern is that of pytorch/torchtitan, pull request 3274: output_size given, no wait."""
import torch
from torch import nn

from case import run_case

TOKENS, WIDTH, EXPERTS, LAYERS, ROUNDS = 4096, 1024, 16, 24, 250


class Experts(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(WIDTH, WIDTH, bias=False)
        self.bias = nn.Parameter(torch.randn(EXPERTS, WIDTH) * 0.1)

    def forward(self, tokens, counts, known):
        if known:
            bias = self.bias.repeat_interleave(counts, 0, output_size=TOKENS)
        else:
            bias = self.bias.repeat_interleave(counts, 0)  # fault
        return torch.relu(self.linear(tokens) + bias)


def passing(known):
    torch.manual_seed(1)
    layers = nn.ModuleList(Experts() for _ in range(LAYERS)).to("cuda", torch.bfloat16)
    tokens = torch.randn(TOKENS, WIDTH, device="cuda").bfloat16()
    counts = torch.bincount(torch.randint(EXPERTS, (TOKENS,)), minlength=EXPERTS).to("cuda")
    kept = [None]

    @torch.no_grad()
    def one_round():
        hidden = tokens
        for layer in layers:
            hidden = layer(hidden, counts, known)
        kept[0] = hidden

    return one_round, lambda: kept[0].double().abs().sum().item(), ROUNDS


run_case(lambda: passing(False), lambda: passing(True))
