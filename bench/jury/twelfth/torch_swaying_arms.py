"""Collects experiences of 32,768 simulated arms: a policy draws actions, and a second network says what they are worth.

At fault: each distribution checks its parameters, and each probability what it is asked for, and the host waits for the
answers three times a step, so the GPU idles.
The pattern is that of leggedrobotics/rsl_rl, pull request 69, and Toni-SM/skrl, pull request 233: distributions without
checks."""
import torch
from torch import nn
from torch.distributions import Normal

from case import run_case

ARMS, JOINTS, STEPS, TIME, ROUNDS = 32768, 16, 24, 0.02, 7000
SEEN = 4 * JOINTS

torch.set_float32_matmul_precision("high")


@torch.compile
def moved(angles, speeds, wanted, actions):
    """Angles and speeds a moment later, what is seen of them, and rewards."""
    forces = 4 * torch.tanh(actions) - 2 * torch.sin(angles) - 0.5 * speeds
    speeds = speeds + TIME * forces
    angles = angles + TIME * speeds
    seen = torch.cat((torch.sin(angles), torch.cos(angles), speeds, wanted), 1)
    return angles, speeds, seen, -(angles - wanted).square().mean(1)


def made_network(results):
    return nn.Sequential(nn.Linear(SEEN, 512), nn.ELU(inplace=True), nn.Linear(512, 512), nn.ELU(inplace=True),
                         nn.Linear(512, 256), nn.ELU(inplace=True), nn.Linear(256, results)).to("cuda")


class Collector:
    def __init__(self, checks):
        torch.manual_seed(1)
        self.actor, self.critic, self.checks = made_network(JOINTS), made_network(1), checks
        self.spread = torch.full((JOINTS,), 0.5, device="cuda")
        self.wanted = torch.rand(ARMS, JOINTS, device="cuda") - 0.5
        self.state = [torch.zeros(ARMS, JOINTS, device="cuda") for _ in range(2)]
        self.seen = torch.cat((torch.zeros_like(self.wanted), torch.ones_like(self.wanted), self.state[1], self.wanted), 1)
        self.chances, self.worths, self.rewards = torch.zeros(3, STEPS, ARMS, device="cuda")
        self.number = 0

    @torch.no_grad()
    def step(self):
        place = self.number % STEPS
        policy = Normal(self.actor(self.seen), self.spread, validate_args=self.checks)  # fault
        actions = policy.rsample()
        self.chances[place] = policy.log_prob(actions).sum(1)  # fault
        self.worths[place] = self.critic(self.seen).squeeze(1)
        *self.state, self.seen, rewards = moved(*self.state, self.wanted, actions)
        self.rewards[place] = rewards
        self.number += 1

    def total(self):
        return sum(part.double().abs().sum().item() for part in (self.chances, self.worths, self.rewards))


def collecting(checks):
    collector = Collector(checks)
    return collector.step, collector.total, ROUNDS


run_case(lambda: collecting(True), lambda: collecting(False))
