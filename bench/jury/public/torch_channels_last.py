"""Three convolutions of a bottleneck block in half precision, with channels last throughout.

Nothing is wrong: weights and activations have one memory format, the one that the convolutions want.
The pattern is that of pytorch/tutorials, intermediate_source/memory_format_tutorial.py."""
import torch

from case import run_case

BATCH, WIDE, NARROW, SIDE, ROUNDS = 64, 256, 64, 56, 200


def block():
    torch.manual_seed(1)
    convolutions = torch.nn.Sequential(
        torch.nn.Conv2d(WIDE, NARROW, 1, bias=False), torch.nn.BatchNorm2d(NARROW), torch.nn.ReLU(inplace=True),
        torch.nn.Conv2d(NARROW, NARROW, 3, padding=1, bias=False), torch.nn.BatchNorm2d(NARROW),
        torch.nn.ReLU(inplace=True), torch.nn.Conv2d(NARROW, WIDE, 1, bias=False), torch.nn.BatchNorm2d(WIDE))
    convolutions = convolutions.cuda().half().eval().to(memory_format=torch.channels_last)
    x = torch.rand(BATCH, WIDE, SIDE, SIDE, device="cuda").half().contiguous(memory_format=torch.channels_last)
    results = [None]

    @torch.no_grad()
    def one_round():
        results[0] = torch.relu_(convolutions(x) + x)

    return one_round, lambda: results[0].double().sum().item(), ROUNDS


run_case(None, block)
