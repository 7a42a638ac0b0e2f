"""Draws etchings by two networks that compete: each round the one that draws makes 256 pictures of 256 x 256 points
from noise, the one that judges learns to tell them from real ones, and the one that draws learns to be taken for real.
The 16 points of a square of 4 x 4 lie together, as the channels of one place.

Nothing is wrong: pictures and weights have the layout channels_last, products are in bfloat16 by autocast, what was
drawn is used for both networks, gradients that nobody needs are not found, the optimisers and the slow average of
weights are operations on lists, and losses are summed on the GPU.
The pattern is that of fideus-labs/KonfAI, pull request 128 (losses that are not read in each step, a fused average of
weights, channels_last), and HyperGAN/HyperGAN, pull request 355, where some 100 reads by the host a step became one
for each network."""
import copy

import torch
from torch import nn
from torch.nn import functional

from case import run_case

BATCH, NOISE, POINTS, SIDE, START, DRAWS, JUDGES = 256, 128, 16, 64, 8, (512, 256, 128, 64), (64, 128, 256, 512)
SETS, RATE, SHARE, ROUNDS = 4, 1e-5, 0.001, 320


class Artist(nn.Module):
    def __init__(self):
        super().__init__()
        self.start = nn.Linear(NOISE, START * START * DRAWS[0])
        self.layers = nn.ModuleList(
            nn.Sequential(nn.BatchNorm2d(before), nn.ReLU(inplace=True), nn.Upsample(scale_factor=2, mode="nearest"),
                          nn.Conv2d(before, after, 3, padding=1, bias=False))
            for before, after in zip(DRAWS, DRAWS[1:]))
        self.norm, self.last = nn.BatchNorm2d(DRAWS[-1]), nn.Conv2d(DRAWS[-1], POINTS, 3, padding=1)

    def forward(self, noise):
        found = self.start(noise).view(-1, START, START, DRAWS[0]).permute(0, 3, 1, 2)  # channels_last
        for layer in self.layers:
            found = layer(found)
        return self.last(functional.relu(self.norm(found), inplace=True)).tanh()


class Judge(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            *(part for before, after in zip((POINTS, *JUDGES), JUDGES)
              for part in (nn.Conv2d(before, after, 4, 2, 1), nn.LeakyReLU(0.2, inplace=True))))
        self.last = nn.Linear(JUDGES[-1], 1)

    def forward(self, pictures):
        return self.last(self.layers(pictures).mean((2, 3)))


def made_etchings():
    """On the GPU, channels_last."""
    return [torch.randn(BATCH, SIDE, SIDE, POINTS, device="cuda").tanh_().to(torch.bfloat16).permute(0, 3, 1, 2)
            for _ in range(SETS)]


def etching():
    torch.manual_seed(1)
    artist, judge = (network.to("cuda", memory_format=torch.channels_last) for network in (Artist(), Judge()))
    slow = copy.deepcopy(artist)
    weights, slow_weights, etchings = list(artist.parameters()), list(slow.parameters()), made_etchings()
    of_artist, of_judge = (torch.optim.AdamW(network.parameters(), lr=RATE, betas=(0.0, 0.9), fused=True)
                           for network in (artist, judge))
    losses, number = torch.zeros(2, device="cuda"), [0]

    def learn(optimiser, loss):
        loss.backward()
        optimiser.step()
        optimiser.zero_grad()
        return loss.detach()

    def one_round():
        with torch.autocast("cuda", dtype=torch.bfloat16):
            drawn = artist(torch.randn(BATCH, NOISE, device="cuda"))
            real, false = judge(etchings[number[0] % SETS]), judge(drawn.detach())
            doubt = functional.relu(1 - real).mean() + functional.relu(1 + false).mean()
        of_the_judge = learn(of_judge, doubt)
        judge.requires_grad_(False)
        with torch.autocast("cuda", dtype=torch.bfloat16):
            dislike = -judge(drawn).float().mean()
        losses.add_(torch.stack((of_the_judge, learn(of_artist, dislike))))
        judge.requires_grad_(True)
        with torch.no_grad():
            torch._foreach_lerp_(slow_weights, weights, SHARE)
        number[0] += 1

    return one_round, lambda: losses.sum().item(), ROUNDS


run_case(None, etching)
