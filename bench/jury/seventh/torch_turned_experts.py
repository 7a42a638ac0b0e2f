"""Four layers of eight experts of 2048 x 2048 weights each, for 256 tokens an expert.

At fault: the weights of each layer are turned and copied before each product, 67 MB, with lanes that read 4 KB apart.
The patterns are those of pytorch/pytorch, issue 113560, where such a copy is ten times as slow as it should be, and issue
2159: the library takes turned matrices as they are."""
import torch

from case import run_case

EXPERTS, TOKENS, WIDTH, LAYERS, ROUNDS = 8, 256, 2048, 4, 400


def made_tensors():
    torch.manual_seed(1)
    layers = [(torch.randn(EXPERTS, WIDTH, WIDTH, device="cuda") / WIDTH ** 0.5).bfloat16() for _ in range(LAYERS)]
    return torch.randn(EXPERTS, TOKENS, WIDTH, device="cuda").bfloat16(), layers


def total_of(hidden):
    return hidden.double().abs().sum().item()


def copied():
    tokens, layers = made_tensors()
    results = [None]

    def one_round():
        hidden = tokens
        for weights in layers:
            turned = weights.transpose(1, 2).contiguous()  # fault
            hidden = torch.tanh(torch.bmm(hidden, turned))
        results[0] = hidden

    return one_round, lambda: total_of(results[0]), ROUNDS


def as_they_are():
    tokens, layers = made_tensors()
    results = [None]

    def one_round():
        hidden = tokens
        for weights in layers:
            hidden = torch.tanh(torch.bmm(hidden, weights.transpose(1, 2)))
        results[0] = hidden

    return one_round, lambda: total_of(results[0]), ROUNDS


run_case(copied, as_they_are)
