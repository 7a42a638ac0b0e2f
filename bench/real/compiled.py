"""Trains a network that torch.compile has compiled, in the mode that is named.

Planted: a copy of a transposed tensor before each step, outside of what is compiled (G01, line `turned`)."""
import sys

import torch
import torch.nn as nn
import torch.nn.functional as F

from steady import steady


def main():
    mode, steps = sys.argv[1], int(sys.argv[2])
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(2048, 4096), nn.GELU(), nn.LayerNorm(4096), nn.Linear(4096, 4096), nn.SiLU(),
                        nn.LayerNorm(4096), nn.Linear(4096, 1024)).cuda()
    compiled = torch.compile(net, mode=mode)
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-4, foreach=True)
    source = torch.randn(2048, 4096, device="cuda")
    wanted = torch.randn(4096, 1024, device="cuda")

    def step():
        turned = source.t().contiguous()  # planted
        optimizer.zero_grad(set_to_none=True)
        loss = F.mse_loss(compiled(turned), wanted)
        loss.backward()
        optimizer.step()
        return loss

    for _ in range(5):
        loss = step()
    torch.cuda.synchronize()
    for _ in steady(steps, torch.cuda.synchronize):
        loss = step()
    print(f"loss {loss.item():.2f}")


if __name__ == "__main__":
    main()
