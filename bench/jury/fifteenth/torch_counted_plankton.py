"""Tells the kinds of 256 animals of plankton a round from pictures in eight colours and from eight measures of the water.

Nothing is wrong: pictures stay bytes until a round needs them, one conversion of 34 MB is a small part of it, pictures and
weights are channels last in bfloat16, as the library wants them, and measures are joined with what was found, in 256 short rows.
The pattern is that of talmolab/sleap-nn, pull request 406 (bytes are converted on the GPU), and instanseg/instanseg, pull
request 144 (channels last)."""
import torch
from torch import nn

from case import run_case

ANIMALS, COLOURS, SIDE, MEASURES, KINDS, SETS, ROUNDS = 256, 8, 128, 8, 64, 8, 6000
WIDTHS = (64, 2), (128, 2), (256, 1), (256, 2), (512, 1)  # channels, and how far apart places are

torch.backends.cudnn.benchmark = True


def made_layers():
    """The first layer takes bytes of 0 to 255."""
    parts, before = [], COLOURS
    for width, apart in WIDTHS:
        parts += nn.Conv2d(before, width, 3, apart, 1, bias=False), nn.ReLU(inplace=True)
        before = width
    with torch.no_grad():
        parts[0].weight.div_(255)
    pictures = nn.Sequential(*parts).to("cuda", torch.bfloat16, memory_format=torch.channels_last)
    return pictures, nn.Linear(before + MEASURES, KINDS).to("cuda", torch.bfloat16)


def made_pictures():
    pictures = torch.randint(0, 256, (SETS * ANIMALS, COLOURS, SIDE, SIDE), device="cuda", dtype=torch.uint8)
    return pictures.contiguous(memory_format=torch.channels_last).split(ANIMALS)


def counting():
    torch.manual_seed(1)
    (layers, judge), pictures = made_layers(), made_pictures()
    waters = torch.randn(SETS, ANIMALS, MEASURES, device="cuda", dtype=torch.bfloat16).unbind()
    state = [0, None]

    @torch.no_grad()
    def one_round():
        own = state[0] % SETS
        found = layers(pictures[own].to(torch.bfloat16)).mean((2, 3))
        state[1] = judge(torch.cat((found, waters[own]), 1))
        state[0] += 1

    return one_round, lambda: state[1].double().abs().sum().item(), ROUNDS


run_case(None, counting)
