"""Makes 32 pictures of 64 x 64 pixels from noise, a step of Heun's method a round, with a network of convolutions.

Nothing is wrong: the levels of noise are made once and stay on the device, and the pictures are stored channels last.
The pattern is that of NVlabs/edm, generate.py, with a smaller network."""
import torch
from torch.nn import functional

from case import run_case

PICTURES, SIDE, CHANNELS, BLOCKS, STEPS, ROUNDS = 32, 64, 128, 6, 40, 120
LOWEST, HIGHEST, BEND = 0.002, 80, 7


def made_weights(outward, inward, side):
    weights = torch.randn(outward, inward, side, side, device="cuda") / (inward * side * side) ** 0.5
    return weights.bfloat16().to(memory_format=torch.channels_last)


def sampling():
    torch.manual_seed(1)
    first, last = made_weights(CHANNELS, 3, 3), made_weights(3, CHANNELS, 3)
    blocks = [(made_weights(CHANNELS, CHANNELS, 3), made_weights(CHANNELS, CHANNELS, 3)) for _ in range(BLOCKS)]
    share = torch.linspace(0, 1, STEPS, device="cuda")
    levels = (HIGHEST ** (1 / BEND) + share * (LOWEST ** (1 / BEND) - HIGHEST ** (1 / BEND))) ** BEND
    noise = torch.randn(PICTURES, 3, SIDE, SIDE, device="cuda").to(memory_format=torch.channels_last)
    state, number = [noise], [0]

    def denoised(pictures, level):
        scale = (0.25 + level ** 2).rsqrt()
        hidden = functional.conv2d((scale * pictures).bfloat16(), first, padding=1)
        for one, other in blocks:
            hidden = hidden + functional.conv2d(functional.silu(functional.conv2d(hidden, one, padding=1)), other, padding=1)
        found = functional.conv2d(functional.silu(hidden), last, padding=1).float()
        return 0.25 * scale ** 2 * pictures + 0.5 * level * scale * torch.tanh(found)

    def one_round():
        step = number[0] % (STEPS - 1)
        pictures, level, after = noise * HIGHEST if step == 0 else state[0], levels[step], levels[step + 1]
        slope = (pictures - denoised(pictures, level)) / level
        moved = pictures + (after - level) * slope
        other = (moved - denoised(moved, after)) / after
        state[0] = pictures + (after - level) * 0.5 * (slope + other)
        number[0] += 1

    return one_round, lambda: state[0].double().abs().sum().item(), ROUNDS


run_case(None, sampling)
