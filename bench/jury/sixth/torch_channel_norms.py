"""Four pointwise blocks over 32 pictures of 64 x 64 places and 128 channels, with norms over the channels of each place.

At fault: the pictures are stored channel by channel, so that each norm is surrounded by two copies, whose lanes read or write
16 KB apart.
The patterns are those of ConvNeXt in pytorch/vision, pull request 5253, which stores places first for 20 % more speed, and in
huggingface/pytorch-image-models, pull request 1340, on the same copies."""
import torch
from torch.nn import functional

from case import run_case

PICTURES, SIDE, CHANNELS, HIDDEN, BLOCKS, ROUNDS = 32, 64, 128, 256, 4, 160

torch.set_float32_matmul_precision("high")


def made_blocks():
    torch.manual_seed(1)
    blocks = [(torch.randn(HIDDEN, CHANNELS, device="cuda") / CHANNELS ** 0.5,
               torch.randn(CHANNELS, HIDDEN, device="cuda") / HIDDEN ** 0.5) for _ in range(BLOCKS)]
    return torch.randn(PICTURES, CHANNELS, SIDE, SIDE, device="cuda"), blocks


def total_of(pictures):
    return pictures.double().abs().sum().item()


def channel_by_channel():
    pictures, blocks = made_blocks()
    results = [None]

    def one_round():
        hidden = pictures
        for up, down in blocks:
            normed = functional.layer_norm(hidden.permute(0, 2, 3, 1), (CHANNELS,))  # fault
            normed = normed.permute(0, 3, 1, 2).contiguous()  # fault
            inner = functional.gelu(torch.matmul(up, normed.flatten(2)))
            hidden = hidden + torch.matmul(down, inner).view_as(hidden)
        results[0] = hidden

    return one_round, lambda: total_of(results[0]), ROUNDS


def place_by_place():
    pictures, blocks = made_blocks()
    places, results = pictures.permute(0, 2, 3, 1).contiguous(), [None]

    def one_round():
        hidden = places
        for up, down in blocks:
            inner = functional.gelu(functional.linear(functional.layer_norm(hidden, (CHANNELS,)), up))
            hidden = hidden + functional.linear(inner, down)
        results[0] = hidden

    return one_round, lambda: total_of(results[0]), ROUNDS


run_case(channel_by_channel, place_by_place)
