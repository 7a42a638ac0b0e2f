"""Trains six gated blocks on 16,384 rows a step, and keeps an average of the weights.

Nothing is wrong: products of the library, contiguous tensors, one kernel for the optimiser and one for the averages.
The pattern is that of the averages in huggingface/pytorch-image-models, timm/utils/model_ema.py."""
import torch
from torch import nn

from case import run_case

ROWS, WIDTH, HIDDEN, BLOCKS, ROUNDS = 16384, 512, 1024, 6, 150

torch.set_float32_matmul_precision("high")


class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.value, self.gate = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, HIDDEN), nn.Linear(WIDTH, HIDDEN)
        self.outward = nn.Linear(HIDDEN, WIDTH)

    def forward(self, hidden):
        normed = self.norm(hidden)
        return hidden + self.outward(nn.functional.silu(self.gate(normed)) * self.value(normed))


def training():
    torch.manual_seed(1)
    model = nn.Sequential(*(Gated() for _ in range(BLOCKS))).to("cuda")
    weights = list(model.parameters())
    averages = [each.detach().clone() for each in weights]
    optimiser = torch.optim.AdamW(weights, lr=1e-4, fused=True)
    rows, wanted = torch.randn(2, ROWS, WIDTH, device="cuda")

    def one_round():
        loss = nn.functional.mse_loss(model(rows), wanted)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        with torch.no_grad():
            torch._foreach_lerp_(averages, weights, weight=0.01)

    return one_round, lambda: sum(each.double().abs().sum() for each in averages).item(), ROUNDS


run_case(None, training)
