"""Learns values of 18 actions from replayed frames of games: 2048 experiences a step, a second network for what comes next.

Nothing is wrong: the memory of experiences is on the device, frames have their channels last as the convolutions want them,
optimiser and moving averages are few kernels, and the loss stays on the device.
The pattern is that of laboroai/border, pull request 44: a buffer of experiences on the device, so that no step copies."""
import copy

import torch
import torch.nn.functional as F
from torch import nn

from case import run_case

MEMORY, BATCH, SIDE, CHANNELS, ACTIONS, RATE, KEEP, ROUNDS = 16384, 2048, 84, 8, 18, 1e-4, 0.99, 240


class Values(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(CHANNELS, 64, 8, 4), nn.ReLU(inplace=True), nn.Conv2d(64, 128, 4, 2), nn.ReLU(inplace=True),
            nn.Conv2d(128, 128, 3, 1), nn.ReLU(inplace=True))
        self.head = nn.Sequential(nn.Linear(128 * 49, 512), nn.ReLU(inplace=True), nn.Linear(512, ACTIONS))

    def forward(self, frames):
        return self.head(self.layers(frames).permute(0, 2, 3, 1).flatten(1))


class Memory:
    """A row of 64-bit words is the frames of an experience, a byte a channel of a pixel."""
    def __init__(self):
        row = SIDE * SIDE * CHANNELS
        self.frames = torch.randint(0, 256, (MEMORY, row), device="cuda", dtype=torch.uint8).view(torch.int64)
        self.actions = torch.randint(0, ACTIONS, (MEMORY, 1), device="cuda")
        self.rewards = torch.rand(MEMORY, 1, device="cuda", dtype=torch.bfloat16)

    def sample(self):
        rows = torch.randint(0, MEMORY - 1, (BATCH,), device="cuda")
        return self.seen(rows), self.actions[rows], self.rewards[rows], self.seen(rows + 1)

    def seen(self, rows):
        frames = self.frames.index_select(0, rows).view(torch.uint8).view(BATCH, SIDE, SIDE, CHANNELS)
        return frames.to(torch.bfloat16).permute(0, 3, 1, 2)


def learning():
    torch.manual_seed(1)
    torch.backends.cudnn.benchmark = True
    net = Values().to("cuda", torch.bfloat16).to(memory_format=torch.channels_last)
    with torch.no_grad():
        net.layers[0].weight.mul_(1 / 128)  # the frames are bytes
    slow = copy.deepcopy(net).requires_grad_(False)
    optimiser = torch.optim.Adam(net.parameters(), lr=RATE, fused=True)
    weights, slow_weights = list(net.parameters()), list(slow.parameters())
    memory, state = Memory(), [None]

    def one_round():
        seen, actions, rewards, later = memory.sample()
        with torch.no_grad():
            wanted = rewards + KEEP * slow(later).amax(1, keepdim=True)
        loss = F.smooth_l1_loss(net(seen).gather(1, actions), wanted)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        with torch.no_grad():
            torch._foreach_lerp_(slow_weights, weights, 0.005)
        state[0] = loss.detach()

    return one_round, lambda: state[0].double().item(), ROUNDS


run_case(None, learning)
