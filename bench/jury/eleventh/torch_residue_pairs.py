"""Attention of 1536 residues of a protein with offsets from pairs, which have 64 values each and are normalised before.

At fault: layer_norm gives each pair of residues a block of 128 threads, and 64 values of 2 bytes need 16 of them.
The pattern is that of pytorch/pytorch, issue 143754: LayerNorm of few values is slower than one written by hand and
compiled."""
import torch
import torch.nn.functional as F
from torch import nn

from case import run_case

RESIDUES, PAIR, HEADS, WIDTH, ROUNDS = 1536, 64, 4, 32, 1200


class LibraryNorm(nn.LayerNorm):
    def forward(self, pairs):
        return F.layer_norm(pairs, self.normalized_shape, self.weight, self.bias, self.eps)  # fault


@torch.compile
def normalised(pairs, weight, bias, least: float):
    values = pairs.float()
    mean = values.mean(-1, keepdim=True)
    variance = (values - mean).square().mean(-1, keepdim=True)
    return ((values - mean) * torch.rsqrt(variance + least) * weight + bias).to(pairs.dtype)


class CompiledNorm(nn.LayerNorm):
    def forward(self, pairs):
        return normalised(pairs, self.weight, self.bias, self.eps)


class Attention(nn.Module):
    def __init__(self, norm):
        super().__init__()
        self.norm = norm(PAIR)
        self.offsets = nn.Parameter(torch.randn(HEADS, PAIR) * 0.3)
        self.projections = nn.Linear(HEADS * WIDTH, 3 * HEADS * WIDTH, bias=False)
        self.leave = nn.Linear(HEADS * WIDTH, HEADS * WIDTH, bias=False)

    def forward(self, residues, pairs):
        """`pairs` has a row for each two residues."""
        offsets = (self.offsets @ self.norm(pairs).t()).view(1, HEADS, RESIDUES, RESIDUES)
        query, key, value = self.projections(residues).view(1, RESIDUES, 3, HEADS, WIDTH).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=offsets)
        return self.leave(mixed.transpose(1, 2).reshape(1, RESIDUES, -1))


def attending(norm):
    torch.manual_seed(1)
    net = Attention(norm).to("cuda", torch.bfloat16)
    residues = torch.randn(1, RESIDUES, HEADS * WIDTH, device="cuda", dtype=torch.bfloat16)
    pairs = torch.randn(RESIDUES * RESIDUES, PAIR, device="cuda", dtype=torch.bfloat16)
    state = [None]

    @torch.no_grad()
    def one_round():
        state[0] = net(residues, pairs)

    return one_round, lambda: state[0].double().abs().sum().item(), ROUNDS


run_case(lambda: attending(LibraryNorm), lambda: attending(CompiledNorm))
