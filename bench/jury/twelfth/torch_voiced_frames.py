"""Turns 262,144 frames of features into samples of speech: six layers with a periodic activation, and a last one.

At fault: the activation is a chain of operations, each of which stores 537 MB that the next one reads.
The pattern is that of sgl-project/sglang-omni, pull request 1794: one kernel for the activation of a vocoder, which was a
chain of eight launches and most of its elementwise work. Here a compiler makes the kernel."""
import torch
from torch import nn

from case import run_case

FRAMES, WIDTH, SAMPLES, LAYERS, LEAST, ROUNDS = 1 << 18, 1024, 320, 6, 1e-9, 280


def wave(hidden, pitch, depth):
    """Adds a squared sine to each value; a channel has its own pitch and depth."""
    return hidden + (1.0 / (torch.exp(depth) + LEAST)) * torch.pow(torch.sin(hidden * torch.exp(pitch)), 2)  # fault


wave_at_once = torch.compile(wave)


class Layer(nn.Module):
    def __init__(self, activation):
        super().__init__()
        self.product = nn.Linear(WIDTH, WIDTH)
        self.pitch, self.depth = (nn.Parameter(0.3 * torch.randn(WIDTH)) for _ in range(2))
        self.activation = activation

    def forward(self, frames):
        return self.activation(self.product(frames), self.pitch, self.depth)  # fault


def voicing(activation):
    torch.manual_seed(1)
    net = nn.Sequential(*(Layer(activation) for _ in range(LAYERS)), nn.Linear(WIDTH, SAMPLES))
    net.to("cuda", torch.float16)
    frames = torch.randn(FRAMES, WIDTH, device="cuda", dtype=torch.float16)
    kept = [None]

    @torch.no_grad()
    def one_round():
        kept[0] = net(frames)

    return one_round, lambda: kept[0].double().abs().sum().item(), ROUNDS


run_case(lambda: voicing(wave), lambda: voicing(wave_at_once))
