"""Attention in windows of 344 voxels, with a bias for relative places.

At fault: scores are stored, and read again for the scale, the bias and the softmax.
The pattern is that of Project-MONAI/MONAI, issue 8973: scaled_dot_product_attention with the bias as its mask."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

WINDOWS, VOXELS, HEADS, EACH, ROUNDS = 256, 344, 6, 32, 1200
WIDTH = HEADS * EACH


class WindowAttention(nn.Module):
    def __init__(self, fused):
        super().__init__()
        self.fused = fused
        self.inward, self.outward = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.bias = nn.Parameter(torch.randn(HEADS, VOXELS, VOXELS) * 0.1)

    def forward(self, voxels):
        parts = self.inward(voxels).view(WINDOWS, VOXELS, 3, HEADS, EACH).permute(2, 0, 3, 1, 4)
        queries, keys, values = parts.unbind(0)
        if self.fused:
            found = functional.scaled_dot_product_attention(queries, keys, values, attn_mask=self.bias[None])
        else:
            scores = (queries * EACH ** -0.5) @ keys.transpose(-2, -1)
            scores = scores + self.bias[None]  # fault
            found = scores.softmax(-1) @ values  # fault
        return self.outward(found.transpose(1, 2).reshape(WINDOWS, VOXELS, WIDTH))


def attending(fused):
    torch.manual_seed(1)
    attention = WindowAttention(fused).to("cuda", torch.bfloat16)
    voxels, kept = torch.randn(WINDOWS, VOXELS, WIDTH, device="cuda").bfloat16(), [None]

    @torch.no_grad()
    def one_round():
        kept[0] = attention(voxels)

    return one_round, lambda: kept[0].double().abs().sum().item(), ROUNDS


run_case(lambda: attending(False), lambda: attending(True))
