"""Teaches 8192 simulated robots to reach a place by TD3: each round the robots take a step, which is kept among a million others,
and networks for the value of actions and for the actions are trained on 32768 steps that are drawn from these.

Nothing is wrong: robots, what is kept, and the numbers of what is drawn stay on the GPU; a step's own parts are rows that are
gathered whole, averages of weights and the optimisers are operations on lists, and losses are summed on the GPU.
The pattern is that of strands-labs/robots, issue 861 (what is replayed lies on the GPU, as copies from the host were what took
long), and laboroai/border, pull request 44."""
import copy

import torch
from torch import nn

from case import run_case

ROBOTS, KEPT, SENSES, ACTIONS, BATCH, WIDTH, DISCOUNT, SHARE, ROUNDS = 8192, 1 << 20, 64, 8, 32768, 1024, 0.97, 0.005, 800
PADDING = 7  # so that a row is 576 bytes, which fill sectors of 32
PARTS = 2 * SENSES + ACTIONS + 1 + PADDING

torch.set_float32_matmul_precision("high")


def made_network(before, after, *last):
    layers = (nn.Linear(before, WIDTH), nn.ReLU(inplace=True), nn.Linear(WIDTH, WIDTH), nn.ReLU(inplace=True),
              nn.Linear(WIDTH, after), *last)
    return nn.Sequential(*layers).to("cuda")


class Robots:
    def __init__(self):
        self.senses = torch.randn(ROBOTS, SENSES, device="cuda")
        self.moves = torch.randn(ACTIONS, SENSES, device="cuda") / ACTIONS ** 0.5
        self.padding = torch.zeros(ROBOTS, PADDING, device="cuda")

    def step(self, actions):
        """What they sensed and did, what they sense now, and what they got for it."""
        before = self.senses
        self.senses = torch.addmm(before, actions, self.moves, beta=0.95, alpha=0.3)
        reward = self.senses[:, :4].square().mean(1, keepdim=True).neg_()
        return torch.cat((before, actions, self.senses, reward, self.padding), 1)


class Learner:
    def __init__(self):
        self.actor = made_network(SENSES, ACTIONS, nn.Tanh())
        self.critics = nn.ModuleList(made_network(SENSES + ACTIONS, 1) for _ in range(2))
        self.slow_actor, self.slow_critics = copy.deepcopy(self.actor), copy.deepcopy(self.critics)
        self.of_actor, self.of_critics = (torch.optim.AdamW(part.parameters(), lr=1e-4, fused=True)
                                          for part in (self.actor, self.critics))
        self.weights = [*self.actor.parameters(), *self.critics.parameters()]
        self.slow_weights = [*self.slow_actor.parameters(), *self.slow_critics.parameters()]

    @torch.no_grad()
    def target(self, reward, after):
        noise = torch.randn(BATCH, ACTIONS, device="cuda").mul_(0.2).clamp_(-0.5, 0.5)
        action = self.slow_actor(after).add_(noise).clamp_(-1, 1)
        one, other = (critic(torch.cat((after, action), 1)) for critic in self.slow_critics)
        return torch.add(reward, torch.minimum(one, other), alpha=DISCOUNT)

    def learn_values(self, senses_and_actions, target):
        loss = sum(nn.functional.mse_loss(critic(senses_and_actions), target) for critic in self.critics)
        self.of_critics.zero_grad()
        loss.backward()
        self.of_critics.step()
        return loss.detach()

    def learn_actions(self, senses):
        self.critics.requires_grad_(False)
        loss = -self.critics[0](torch.cat((senses, self.actor(senses)), 1)).mean()
        self.of_actor.zero_grad()
        loss.backward()
        self.of_actor.step()
        self.critics.requires_grad_(True)
        with torch.no_grad():
            torch._foreach_lerp_(self.slow_weights, self.weights, SHARE)


def teaching():
    torch.manual_seed(1)
    robots, learner = Robots(), Learner()
    kept = torch.randn(KEPT, PARTS, device="cuda")
    losses, number = torch.zeros((), device="cuda"), [0]

    def one_round():
        with torch.no_grad():
            actions = learner.actor(robots.senses)
            actions.add_(torch.randn_like(actions), alpha=0.1).clamp_(-1, 1)
            first = number[0] * ROBOTS % KEPT
            kept[first:first + ROBOTS] = robots.step(actions)
        drawn = kept.index_select(0, torch.randint(KEPT, (BATCH,), device="cuda"))
        senses, _, after, reward, _ = drawn.split((SENSES, ACTIONS, SENSES, 1, PADDING), 1)
        losses.add_(learner.learn_values(drawn[:, :SENSES + ACTIONS], learner.target(reward, after)))
        if number[0] % 2:
            learner.learn_actions(senses)
        number[0] += 1

    return one_round, lambda: losses.item(), ROUNDS


run_case(None, teaching)
