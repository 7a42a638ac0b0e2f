"""Trains a forecaster on windows of a long series, which stays on the device.

Nothing is wrong: windows are picked by an index of whole rows, and Adam is fused. The loss is read once in 50 steps.
The pattern is that of cure-lab/LTSF-Linear, with a wider network."""
import torch
from torch import nn

from case import run_case

SERIES, LENGTH, AHEAD, WINDOWS, WIDTH, EACH, ROUNDS = 200_000, 1024, 256, 8192, 4096, 50, 400

torch.set_float32_matmul_precision("high")


def forecasting():
    torch.manual_seed(1)
    series = torch.randn(SERIES, device="cuda").cumsum(0) * 0.01
    windows = series.unfold(0, LENGTH + AHEAD, 16)
    net = nn.Sequential(nn.Linear(LENGTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH), nn.ReLU(),
                        nn.Linear(WIDTH, AHEAD)).to("cuda")
    optimiser = torch.optim.Adam(net.parameters(), lr=1e-4, fused=True)
    random = torch.Generator(device="cuda").manual_seed(2)
    state = [0, 0.0]

    def one_round():
        places = torch.randint(windows.shape[0], (WINDOWS,), generator=random, device="cuda")
        picked = windows[places]
        loss = nn.functional.mse_loss(net(picked[:, :LENGTH]), picked[:, LENGTH:])
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        state[0] += 1
        if state[0] % EACH == 0:
            state[1] = loss.item()

    return one_round, lambda: state[1], ROUNDS


run_case(None, forecasting)
