"""Shows how loud each of 64 microphones of a choir is: for each 1024 moments of four million, the mean square and the highest
peak of each microphone are found. The sounds of all microphones at a moment lie together, as they are recorded.

At fault: a program takes the moments of one microphone, so lanes read four bytes that lie 256 bytes apart, and each costs a
sector of 32; a program that takes rows of all microphones reads what lies together.
The pattern is that of pytorch/pytorch, pull requests 12844, 17945 and 140440: norms of pictures whose channels lie together,
where neighbouring lanes were as far apart as there are channels."""
import torch
import triton
import triton.language as tl

from case import run_case

MOMENTS, MICROPHONES, SPAN, ROWS, SETS, ROUNDS = 1 << 22, 64, 1024, 32, 4, 5000


@triton.jit
def show_one(sounds, levels, peaks, MICROPHONES: tl.constexpr, SPAN: tl.constexpr):
    microphone, block = tl.program_id(0), tl.program_id(1)
    moments = block.to(tl.int64) * SPAN + tl.arange(0, SPAN)
    heard = tl.load(sounds + moments * MICROPHONES + microphone)  # fault
    place = block * MICROPHONES + microphone
    tl.store(levels + place, tl.sum(heard * heard, 0) / SPAN)
    tl.store(peaks + place, tl.max(tl.abs(heard), 0))


@triton.jit
def show_all(sounds, levels, peaks, MICROPHONES: tl.constexpr, SPAN: tl.constexpr, ROWS: tl.constexpr):
    microphones, block = tl.arange(0, MICROPHONES), tl.program_id(0)
    rows = block.to(tl.int64) * SPAN + tl.arange(0, ROWS)
    energy, highest = tl.zeros((ROWS, MICROPHONES), tl.float32), tl.zeros((ROWS, MICROPHONES), tl.float32)
    for first in range(0, SPAN, ROWS):
        heard = tl.load(sounds + (first + rows)[:, None] * MICROPHONES + microphones[None, :])
        energy += heard * heard
        highest = tl.maximum(highest, tl.abs(heard))
    place = block * MICROPHONES + microphones
    tl.store(levels + place, tl.sum(energy, 0) / SPAN)
    tl.store(peaks + place, tl.max(highest, 0))


def by_microphone(*arrays):
    show_one[(MICROPHONES, MOMENTS // SPAN)](*arrays, MICROPHONES=MICROPHONES, SPAN=SPAN, num_warps=4)  # fault


def by_moments(*arrays):
    show_all[(MOMENTS // SPAN,)](*arrays, MICROPHONES=MICROPHONES, SPAN=SPAN, ROWS=ROWS, num_warps=4)


def recording(show):
    torch.manual_seed(1)
    sounds = torch.randn(SETS, MOMENTS, MICROPHONES, device="cuda").unbind()
    (levels, peaks), number = torch.empty(2, MOMENTS // SPAN, MICROPHONES, device="cuda"), [0]

    def one_round():
        show(sounds[number[0] % SETS], levels, peaks)  # fault
        number[0] += 1

    return one_round, lambda: (levels.double().sum() + peaks.double().sum()).item(), ROUNDS


run_case(lambda: recording(by_microphone), lambda: recording(by_moments))
