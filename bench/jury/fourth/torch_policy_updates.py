"""Updates of a policy and of values by clipped ratios, with 65,536 steps of simulations that live on the device.

Nothing is wrong: all data stay on the device, nothing waits for the host, and the optimiser is one kernel.
The pattern is that of vwxyzjn/cleanrl, cleanrl/ppo_continuous_action.py."""
import torch
from torch import nn

from case import run_case

STEPS, SENSES, ACTIONS, HIDDEN, ROUNDS = 65536, 256, 16, 512, 600

torch.set_float32_matmul_precision("high")


def updating():
    torch.manual_seed(1)
    body = nn.Sequential(nn.Linear(SENSES, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, HIDDEN), nn.ReLU()).to("cuda")
    actor, critic = nn.Linear(HIDDEN, ACTIONS).to("cuda"), nn.Linear(HIDDEN, 1).to("cuda")
    weights = [weight for part in (body, actor, critic) for weight in part.parameters()]
    optimiser = torch.optim.Adam(weights, lr=1e-5, fused=True)
    senses, actions = torch.randn(STEPS, SENSES, device="cuda"), torch.randn(STEPS, ACTIONS, device="cuda")
    advantages, returns = torch.randn(2, STEPS, device="cuda")
    results = [None]

    def chances(hidden):
        return -0.5 * (actions - actor(hidden)).square().sum(1)

    with torch.no_grad():
        before = chances(body(senses))

    def one_round():
        hidden = body(senses)
        ratios = torch.exp(chances(hidden) - before)
        gains = torch.minimum(ratios * advantages, ratios.clamp(0.8, 1.2) * advantages)
        loss = 0.5 * (critic(hidden).squeeze(1) - returns).square().mean() - gains.mean()
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        results[0] = loss

    return one_round, lambda: results[0].item(), ROUNDS


run_case(None, updating)
