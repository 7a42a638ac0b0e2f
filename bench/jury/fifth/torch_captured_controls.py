"""Trains a network that steers 32,768 simulated systems, by the gradient of what six moments of each cost.

Nothing is wrong: all data stay on the device, and the whole step is captured once and replayed as a graph.
The pattern is that of the captured updates in pytorch-labs/LeanRL, leanrl/td3_continuous_action_torchcompile.py."""
import torch
from torch import nn

from case import run_case

SYSTEMS, STATE, ACTIONS, HIDDEN, MOMENTS, ROUNDS = 32768, 32, 8, 256, 6, 300

torch.set_float32_matmul_precision("high")


def captured():
    torch.manual_seed(1)
    policy = nn.Sequential(nn.Linear(STATE, HIDDEN), nn.Tanh(), nn.Linear(HIDDEN, HIDDEN), nn.Tanh(),
                           nn.Linear(HIDDEN, ACTIONS)).to("cuda")
    optimiser = torch.optim.Adam(policy.parameters(), lr=1e-4, fused=True, capturable=True)
    start = torch.randn(SYSTEMS, STATE, device="cuda")
    drift, push = (torch.randn(rows, STATE, device="cuda") / 8 for rows in (STATE, ACTIONS))

    def update():
        optimiser.zero_grad(set_to_none=True)
        state, cost = start, 0
        for _ in range(MOMENTS):
            action = policy(state)
            state = state + 0.05 * (torch.tanh(state) @ drift + action @ push)
            cost = cost + state.square().mean() + 0.01 * action.square().mean()
        cost.backward()
        optimiser.step()
        return cost.detach()

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            update()
    torch.cuda.current_stream().wait_stream(side)
    optimiser.zero_grad(set_to_none=True)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        cost = update()

    return graph.replay, lambda: cost.item(), ROUNDS


run_case(None, captured)
