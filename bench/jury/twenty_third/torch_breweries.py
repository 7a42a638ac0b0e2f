"""Learns to run breweries: each round, 65536 simulated tanks of beer take eight steps by what a policy says (heat, air,
sugar, yeast, pressure, mixing), and the policy and the critic are trained on these steps by PPO, twice, in four parts.

Tanks, steps and networks all lie on the GPU, and nothing is read by the host before the end."""
import torch
from torch import nn

from case import run_case

TANKS, SEEN, ACTIONS, WIDTH, STEPS, PASSES, PARTS = 65536, 48, 6, 512, 8, 2, 4
RATE, FADE, SMOOTH, CLIP, BOUND, NOISE, ROUNDS = 5e-5, 0.97, 0.95, 0.2, 1.0, 0.05, 120


def network(outputs):
    return nn.Sequential(
        nn.Linear(SEEN, WIDTH), nn.SiLU(), nn.Linear(WIDTH, WIDTH), nn.SiLU(), nn.Linear(WIDTH, outputs))


def likelihood(actions, means, spread):
    """Logarithm of the likelihood of actions, without its constant."""
    return -(0.5 * ((actions - means) / spread).square().sum(-1) + spread.log().sum())


class Tanks:
    """What a tank's sensors see drifts, and responds to actions; the cellar grows warm and cold with the steps."""
    def __init__(self):
        self.habits = 0.8 * torch.linalg.qr(torch.randn(SEEN, SEEN, device="cuda"))[0]
        self.pushes = 0.3 * torch.randn(ACTIONS, SEEN, device="cuda")
        self.cellar = 0.5 * torch.randn(16, SEEN, device="cuda")
        self.aim, self.time = 0.3 * torch.randn(SEEN, device="cuda"), 0

    def step(self, seen, actions, after):
        """Writes what is seen next to `after`, and tells how well the beer does."""
        chance = torch.randn_like(seen).mul_(NOISE).add_(self.cellar[self.time % 16])
        torch.tanh(torch.addmm(chance, seen, self.habits).addmm_(actions.tanh(), self.pushes), out=after)
        self.time += 1
        return -(after - self.aim).square().mean(1) - 0.02 * actions.square().mean(1)


class Learner:
    def __init__(self):
        with torch.device("cuda"):
            self.policy, self.critic = network(ACTIONS), network(1)
            self.spread = nn.Parameter(torch.full((ACTIONS,), -0.7))
            self.seen, self.actions = torch.zeros(STEPS + 1, TANKS, SEEN), torch.empty(STEPS, TANKS, ACTIONS)
            self.likely, self.gained = torch.empty(2, STEPS, TANKS)
            self.worth = torch.empty(STEPS + 1, TANKS)
            self.better = torch.empty(STEPS, TANKS)
            self.glad = torch.zeros(())
        self.tanks = Tanks()
        self.parts = [*self.policy.parameters(), *self.critic.parameters(), self.spread]
        self.optimiser = torch.optim.Adam(self.parts, lr=RATE, fused=True)

    def say(self, seen):
        with torch.autocast("cuda", dtype=torch.bfloat16):
            means, worth = self.policy(seen), self.critic(seen)
        return means.float(), worth.float().squeeze(-1)

    @torch.no_grad()
    def try_out(self):
        spread = self.spread.exp()
        self.seen[0].copy_(self.seen[STEPS])
        for step in range(STEPS):
            means, self.worth[step] = self.say(self.seen[step])
            torch.addcmul(means, torch.randn_like(means), spread, out=self.actions[step])
            self.likely[step] = likelihood(self.actions[step], means, spread)
            self.gained[step] = self.tanks.step(self.seen[step], self.actions[step], self.seen[step + 1])
        self.worth[STEPS] = self.say(self.seen[STEPS])[1]

    @torch.no_grad()
    def compare(self):
        """How much better each step was than the critic thought, with what came after it."""
        surprise = self.gained + FADE * self.worth[1:] - self.worth[:-1]
        later = torch.zeros_like(surprise[0])
        for step in reversed(range(STEPS)):
            later = surprise[step] + FADE * SMOOTH * later
            self.better[step] = later

    def error(self, own):
        means, worth = self.say(self.seen[:-1][own].flatten(0, 1))
        better = self.better[own].flatten()
        aim = better + self.worth[:-1][own].flatten()
        likely = likelihood(self.actions[own].flatten(0, 1), means, self.spread.exp())
        ratio = (likely - self.likely[own].flatten()).exp()
        scaled = (better - better.mean()) / (better.std() + 1e-6)
        gain = torch.minimum(ratio * scaled, ratio.clamp(1 - CLIP, 1 + CLIP) * scaled).mean()
        return 0.5 * (worth - aim).square().mean() - gain - 0.001 * self.spread.sum()

    def learn(self):
        self.try_out()
        self.compare()
        for _ in range(PASSES):
            for first in range(0, STEPS, STEPS // PARTS):
                self.error(slice(first, first + STEPS // PARTS)).backward()
                nn.utils.clip_grad_norm_(self.parts, BOUND)
                self.optimiser.step()
                self.optimiser.zero_grad()
        self.glad.add_(self.gained.mean())


def brewing():
    torch.manual_seed(1)
    learner = Learner()
    return learner.learn, lambda: learner.glad.item(), ROUNDS


run_case(None, brewing)
