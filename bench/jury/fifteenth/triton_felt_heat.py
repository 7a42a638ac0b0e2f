"""Tells how warm things are from 256 frames of a thermal camera a round: each pixel counts in two bytes, has a gain and a dark
level of its own, and a curve of the third order makes degrees of it.

At fault: the frames of degrees, 1.3 GB, are filled with zeros before a kernel that writes each of them; ask for memory only.
The pattern is that of linkedin/Liger-Kernel, pull request 217 (empty_like instead of zeros_like before Triton kernels), and
dmlc/dgl, issue 5454, where zeros take a third of an operation's time."""
import torch
import triton
import triton.language as tl

from case import run_case

FRAMES, PIXELS, BLOCK, SETS, ROUNDS = 256, 1024 * 1280, 1024, 4, 9500


@triton.jit
def feel_heat(degrees, counts, gains, darks, PIXELS: tl.constexpr, BLOCK: tl.constexpr):
    pixel = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    place = tl.program_id(1).to(tl.int64) * PIXELS + pixel
    light = (tl.load(counts + place).to(tl.float32) - tl.load(darks + pixel)) * tl.load(gains + pixel)
    tl.store(degrees + place, -20.0 + light * (90.0 + light * (-25.0 + light * 5.0)))


def room_of_zeros(counts):
    return torch.zeros(counts.shape, device="cuda")  # fault


def room_as_it_is(counts):
    return torch.empty(counts.shape, device="cuda")


def feeling(room_for):
    torch.manual_seed(1)
    frames = torch.randint(0, 1 << 14, (SETS, FRAMES, PIXELS), device="cuda", dtype=torch.int16).unbind()
    gains = (1 + 0.1 * torch.rand(PIXELS, device="cuda")) / (1 << 14)
    darks, state = 100 * torch.rand(PIXELS, device="cuda"), [0, None]

    @torch.no_grad()
    def one_round():
        counts = frames[state[0] % SETS]
        state[1] = None
        degrees = room_for(counts)  # fault
        feel_heat[(PIXELS // BLOCK, FRAMES)](degrees, counts, gains, darks, PIXELS=PIXELS, BLOCK=BLOCK, num_warps=4)
        state[:] = state[0] + 1, degrees

    return one_round, lambda: state[1].double().sum().item(), ROUNDS


run_case(lambda: feeling(room_of_zeros), lambda: feeling(room_as_it_is))
