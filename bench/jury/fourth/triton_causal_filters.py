"""A causal filter of four taps along the time of 4096 features, as state space models have it.

At fault: the times of a feature are contiguous, while the lanes of a program take features, so that they read and write 64 KB
apart.
The pattern is that of the causal convolutions in ROCm/hip-ep, pull request 722, and ROCm/aiter, pull request 4299, which store
the features of a time side by side."""
import torch
import triton
import triton.language as tl

from case import run_case

TIMES, FEATURES, LANES, CHUNK, ROUNDS = 16384, 4096, 128, 64, 500


@triton.jit
def filter_times_together(out, values, taps, TIMES: tl.constexpr, FEATURES: tl.constexpr, LANES: tl.constexpr,
                          CHUNK: tl.constexpr):
    feature = tl.program_id(0) * LANES + tl.arange(0, LANES)
    start = tl.program_id(1) * CHUNK
    tap0, tap1 = tl.load(taps + feature), tl.load(taps + FEATURES + feature)
    tap2, tap3 = tl.load(taps + 2 * FEATURES + feature), tl.load(taps + 3 * FEATURES + feature)
    row = feature * TIMES + start
    there = (feature >= 0) & (start > 0)
    third = tl.load(values + row - 3, mask=there, other=0.0)
    second = tl.load(values + row - 2, mask=there, other=0.0)
    first = tl.load(values + row - 1, mask=there, other=0.0)
    for step in range(CHUNK):
        now = tl.load(values + row + step)  # fault
        total = tap3 * now + tap2 * first + tap1 * second + tap0 * third
        tl.store(out + row + step, total * tl.sigmoid(total))  # fault
        third = second
        second = first
        first = now


@triton.jit
def filter_features_together(out, values, taps, FEATURES: tl.constexpr, LANES: tl.constexpr, CHUNK: tl.constexpr):
    feature = tl.program_id(0) * LANES + tl.arange(0, LANES)
    start = tl.program_id(1) * CHUNK
    tap0, tap1 = tl.load(taps + feature), tl.load(taps + FEATURES + feature)
    tap2, tap3 = tl.load(taps + 2 * FEATURES + feature), tl.load(taps + 3 * FEATURES + feature)
    row = start * FEATURES + feature
    there = (feature >= 0) & (start > 0)
    third = tl.load(values + row - 3 * FEATURES, mask=there, other=0.0)
    second = tl.load(values + row - 2 * FEATURES, mask=there, other=0.0)
    first = tl.load(values + row - FEATURES, mask=there, other=0.0)
    for step in range(CHUNK):
        now = tl.load(values + row + step * FEATURES)
        total = tap3 * now + tap2 * first + tap1 * second + tap0 * third
        tl.store(out + row + step * FEATURES, total * tl.sigmoid(total))
        third = second
        second = first
        first = now


def made_tensors():
    torch.manual_seed(1)
    values = torch.randn(TIMES, FEATURES, device="cuda")
    return values, torch.randn(4, FEATURES, device="cuda")


def total_of(out):
    return out.double().abs().sum().item()


def times_together():
    values, taps = made_tensors()
    values = values.t().contiguous()
    out = torch.empty_like(values)

    def one_round():
        filter_times_together[(FEATURES // LANES, TIMES // CHUNK)](
            out, values, taps, TIMES=TIMES, FEATURES=FEATURES, LANES=LANES, CHUNK=CHUNK, num_warps=4)

    return one_round, lambda: total_of(out), ROUNDS


def features_together():
    values, taps = made_tensors()
    out = torch.empty_like(values)

    def one_round():
        filter_features_together[(FEATURES // LANES, TIMES // CHUNK)](
            out, values, taps, FEATURES=FEATURES, LANES=LANES, CHUNK=CHUNK, num_warps=4)

    return one_round, lambda: total_of(out), ROUNDS


run_case(times_together, features_together)
