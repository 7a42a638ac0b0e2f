"""Plans the next actions of 64 robots: a step of a diffusion policy with 0.5 billion weights, in half precision.

At fault: the weights are kept in single precision, and autocast converts them all in each step, which moves 8 bytes a
weight instead of 2.
The pattern is that of AUTOMATIC1111/stable-diffusion-webui, pull request 15820: all weights in half precision."""
import torch
import torch.nn.functional as F
from torch import nn

from case import run_case

ROBOTS, SEEN, ACTIONS, WIDTH, WIDER, BLOCKS, PLANS, ROUNDS = 64, 511, 256, 4096, 8192, 8, 16, 2000


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.widen, self.narrow = nn.Linear(WIDTH, WIDER), nn.Linear(WIDER, WIDTH)

    def forward(self, hidden):
        return hidden + self.narrow(F.silu(self.widen(hidden)))  # fault


class Policy(nn.Module):
    """Tells the noise in a plan from what a robot sees, the plan, and the time."""
    def __init__(self):
        super().__init__()
        self.enter = nn.Linear(SEEN + ACTIONS + 1, WIDTH)
        self.blocks = nn.Sequential(*(Block() for _ in range(BLOCKS)))
        self.leave = nn.Linear(WIDTH, ACTIONS)

    def forward(self, seen):
        return self.leave(self.blocks(self.enter(seen)))  # fault


def made_policy():
    torch.manual_seed(1)
    with torch.device("cuda"):
        return Policy().eval(), torch.randn(PLANS, ROBOTS, SEEN + ACTIONS + 1)


def planning_in_autocast():
    policy, plans = made_policy()
    state = [0, None]

    @torch.no_grad()
    def one_round():
        with torch.autocast("cuda", torch.float16):  # fault
            state[1] = policy(plans[state[0] % PLANS])  # fault
        state[0] += 1

    return one_round, lambda: state[1].double().abs().sum().item(), ROUNDS


def planning_in_halves():
    policy, plans = made_policy()
    policy, plans = policy.half(), plans.half()
    state = [0, None]

    @torch.no_grad()
    def one_round():
        state[1] = policy(plans[state[0] % PLANS])
        state[0] += 1

    return one_round, lambda: state[1].double().abs().sum().item(), ROUNDS


run_case(planning_in_autocast, planning_in_halves)
