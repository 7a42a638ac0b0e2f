"""Blocks of a decoder of pictures in channels_last: norm over groups of channels, activation, convolution.

At fault: group_norm stores channels first, so its input is reordered before it and its result for the convolution.
The pattern is that of sgl-project/sglang, pull request 33451: a norm that keeps the layout."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

PICTURES, CHANNELS, GROUPS, SIDE, BLOCKS, ROUNDS = 4, 256, 32, 256, 6, 300
POINTS = SIDE * SIDE


class LibraryNorm(nn.GroupNorm):
    def forward(self, hidden):
        return functional.group_norm(hidden, GROUPS, self.weight, self.bias, self.eps)  # fault


class LayoutNorm(nn.GroupNorm):
    def forward(self, hidden):
        # Moments of channels first, which lie side by side, then those of groups.
        means = hidden.mean((2, 3), dtype=torch.float32).view(PICTURES, GROUPS, -1)
        lengths = torch.linalg.vector_norm(hidden, dim=(2, 3), dtype=torch.float32).view(PICTURES, GROUPS, -1)
        mean = means.mean(-1, keepdim=True)
        scale = torch.rsqrt(lengths.square().mean(-1, keepdim=True) / POINTS - mean.square() + self.eps)
        factor = scale * self.weight.view(GROUPS, -1)
        shift = torch.addcmul(self.bias.view(GROUPS, -1), mean, factor, value=-1)
        factor, shift = (own.to(hidden.dtype).view(PICTURES, CHANNELS, 1, 1) for own in (factor, shift))
        return torch.addcmul(shift, hidden, factor)


class Block(nn.Module):
    def __init__(self, norm):
        super().__init__()
        self.norm = norm(GROUPS, CHANNELS)
        self.convolution = nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1)

    def forward(self, hidden):
        normed = functional.silu(self.norm(hidden), inplace=True)
        return self.convolution(normed).add_(hidden)  # fault


def decoding(norm):
    torch.manual_seed(1)
    torch.backends.cudnn.benchmark = True
    net = nn.Sequential(*(Block(norm) for _ in range(BLOCKS))).to("cuda", torch.bfloat16)
    net = net.to(memory_format=torch.channels_last)
    pictures = torch.randn(PICTURES, CHANNELS, SIDE, SIDE, device="cuda").bfloat16()
    pictures, kept = pictures.to(memory_format=torch.channels_last), [None]

    @torch.no_grad()
    def one_round():
        kept[0] = net(pictures)

    return one_round, lambda: kept[0].double().square().sum().item(), ROUNDS


run_case(lambda: decoding(LibraryNorm), lambda: decoding(LayoutNorm))
