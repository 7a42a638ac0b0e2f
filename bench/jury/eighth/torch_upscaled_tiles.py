"""Upscales tiles of pictures by a residual network, in half precision and with channels last.

Nothing is wrong: the layout is set once, tiles stay on the device, and each result is reordered once by pixel_shuffle.
The pattern is that of xinntao/Real-ESRGAN, realesrgan/utils.py, with half precision."""
import torch
from torch import nn

from case import run_case

TILES, SIDE, WIDTH, BLOCKS, ROUNDS = 16, 128, 128, 12, 300


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(WIDTH, 2 * WIDTH, 3, padding=1)
        self.second = nn.Conv2d(2 * WIDTH, WIDTH, 3, padding=1)

    def forward(self, hidden):
        return self.second(torch.relu_(self.first(hidden))).add_(hidden)


class Upscaler(nn.Module):
    def __init__(self):
        super().__init__()
        self.inward = nn.Conv2d(3, WIDTH, 3, padding=1)
        self.blocks = nn.Sequential(*(Block() for _ in range(BLOCKS)))
        self.outward = nn.Conv2d(WIDTH, 12, 3, padding=1)

    def forward(self, tiles):
        return nn.functional.pixel_shuffle(self.outward(self.blocks(self.inward(tiles))), 2)


def upscaling():
    torch.manual_seed(1)
    torch.backends.cudnn.benchmark = True
    net = Upscaler().to("cuda", torch.float16).to(memory_format=torch.channels_last)
    tiles = torch.rand(TILES, 3, SIDE, SIDE, device="cuda").half().to(memory_format=torch.channels_last)
    kept = [None]

    @torch.no_grad()
    def one_round():
        kept[0] = net(tiles)

    return one_round, lambda: kept[0].double().abs().sum().item(), ROUNDS


run_case(None, upscaling)
