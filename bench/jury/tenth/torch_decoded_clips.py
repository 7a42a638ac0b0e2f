"""Convolutions of a decoder of clips: three blocks for 24 frames of 256 x 448 places with 64 channels.

At fault: the clip has its channels first, so the library reorders what each convolution reads and writes.
The pattern is that of ModelTC/LightX2V, pull request 860: weights and clips in channels_last_3d."""
import torch
from torch import nn

from case import run_case

CHANNELS, SHOWN, FRAMES, HEIGHT, WIDTH, BLOCKS, ROUNDS = 64, 16, 24, 256, 448, 3, 120


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = (nn.Conv3d(CHANNELS, CHANNELS, 3, padding=1, bias=False) for _ in range(2))

    def forward(self, clip):
        return self.second(self.first(clip).relu_()).relu_()  # fault


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential(*(Block() for _ in range(BLOCKS)))
        self.last = nn.Conv3d(CHANNELS, SHOWN, 1, bias=False)  # patches of 2 x 2 places, for four planes of a picture

    def forward(self, clip):
        return self.last(self.blocks(clip))


def decoding(layout):
    torch.manual_seed(1)
    torch.backends.cudnn.benchmark = True
    net = Decoder().to("cuda", torch.bfloat16).to(memory_format=layout)
    clip = torch.randn(1, CHANNELS, FRAMES, HEIGHT, WIDTH, device="cuda").bfloat16()
    clip, kept = clip.contiguous(memory_format=layout), [None]

    @torch.no_grad()
    def one_round():
        kept[0] = net(clip)

    return one_round, lambda: kept[0].double().abs().sum().item(), ROUNDS


run_case(lambda: decoding(torch.contiguous_format), lambda: decoding(torch.channels_last_3d))
