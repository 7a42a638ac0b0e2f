"""Goes through 16 layers with 64 texts that are packed into one array: a convolution over the last four words, a product.

At fault: each layer asks the device for the length of the longest text, from which the host makes the grid of the kernel, so
the host waits and the GPU then idles.
The pattern is that of FlashML-org/FreeToken, pull request 339: what packs the texts knows the lengths and hands the longest
one on."""
import random

import torch
import triton
import triton.language as tl

from case import run_case

TEXTS, SHORTEST, LONGEST, CHANNELS, TAPS, LAYERS, TIMES, BLOCK, BATCHES, ROUNDS = 64, 32, 480, 1024, 4, 16, 32, 128, 6, 2500


@triton.jit
def convolve(out, words, weights, begins, lengths, CHANNELS: tl.constexpr, TAPS: tl.constexpr, TIMES: tl.constexpr,
             BLOCK: tl.constexpr):
    text = tl.program_id(0)
    first = tl.program_id(1) * TIMES
    length = tl.load(lengths + text)
    if first >= length:
        return
    begin = tl.load(begins + text)
    time = first + tl.arange(0, TIMES)
    channel = tl.program_id(2) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((TIMES, BLOCK), dtype=tl.float32)
    for back in tl.static_range(TAPS):
        there = (time >= back) & (time < length)
        rows = tl.load(words + (begin + time - back)[:, None] * CHANNELS + channel[None, :], mask=there[:, None], other=0.0)
        total += rows.to(tl.float32) * tl.load(weights + back * CHANNELS + channel)[None, :]
    total *= tl.sigmoid(total)
    tl.store(out + (begin + time)[:, None] * CHANNELS + channel[None, :], total.to(tl.bfloat16), mask=(time < length)[:, None])


class Batch:
    def __init__(self, seed):
        lengths = random.Random(seed).choices(range(SHORTEST, LONGEST + 1), k=TEXTS)
        begins = [sum(lengths[:number]) for number in range(TEXTS)]
        self.words = torch.randn(sum(lengths), CHANNELS, device="cuda", dtype=torch.bfloat16)
        self.begins, self.lengths = (torch.tensor(numbers, device="cuda", dtype=torch.int32) for numbers in (begins, lengths))
        self.longest = max(lengths)


def longest_by_device(batch):
    return int(batch.lengths.max().item())  # fault


def longest_by_host(batch):
    return batch.longest


def mixing(longest_of):
    torch.manual_seed(1)
    batches, state = [Batch(seed) for seed in range(BATCHES)], [0, None]
    taps = torch.randn(LAYERS, TAPS, CHANNELS, device="cuda").unbind()
    weights = (torch.randn(LAYERS, CHANNELS, CHANNELS, device="cuda") / CHANNELS ** 0.5).bfloat16().unbind()

    @torch.no_grad()
    def one_round():
        batch = batches[state[0] % BATCHES]
        hidden = batch.words
        for tap, weight in zip(taps, weights):
            grid = (TEXTS, triton.cdiv(longest_of(batch), TIMES), CHANNELS // BLOCK)  # fault
            found = torch.empty_like(hidden)
            convolve[grid](found, hidden, tap, batch.begins, batch.lengths, CHANNELS=CHANNELS, TAPS=TAPS, TIMES=TIMES,
                           BLOCK=BLOCK, num_warps=4)
            hidden = found @ weight
        state[0] += 1
        state[1] = hidden

    return one_round, lambda: state[1].double().abs().sum().item(), ROUNDS


run_case(lambda: mixing(longest_by_device), lambda: mixing(longest_by_host))
