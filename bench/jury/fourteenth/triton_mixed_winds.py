"""Judges forecasts of wind: a layer gives 256 normal distributions for each of 131,072 hours, and a kernel tells how likely the
wind that came was.

At fault: shares, means and spreads lie side by side in what the layer gives, and each is copied to an array of its own before
the kernel, 403 MB in all, although the kernel could go along the rows as they are.
The pattern is that of sgl-project/sglang, pull requests 30575 and 5953: kernels take the distance of rows, no contiguous()
before."""
import torch
import triton
import triton.language as tl

from case import run_case

HOURS, WIDTH, PARTS, TOGETHER, SETS, ROUNDS = 131072, 256, 256, 8, 4, 12000

torch.set_float32_matmul_precision("high")


@triton.jit
def judge_winds(found, winds, shares, means, spreads, apart, PARTS: tl.constexpr, TOGETHER: tl.constexpr):
    hour = tl.program_id(0) * TOGETHER + tl.arange(0, TOGETHER)
    place = hour[:, None] * apart + tl.arange(0, PARTS)[None, :]
    share = tl.load(shares + place)
    spread = tl.load(spreads + place)
    away = (tl.load(winds + hour)[:, None] - tl.load(means + place)) * tl.exp(-spread)
    likely = share - spread - 0.5 * away * away
    most = tl.max(likely, 1)
    largest = tl.max(share, 1)
    total = most + tl.log(tl.sum(tl.exp(likely - most[:, None]), 1))
    total -= largest + tl.log(tl.sum(tl.exp(share - largest[:, None]), 1))
    tl.store(found + hour, total)


def copied(packed):
    return [part.contiguous() for part in packed.chunk(3, 1)]  # fault


def as_they_are(packed):
    return packed.chunk(3, 1)


def judging(parts_of):
    torch.manual_seed(1)
    weights = torch.randn(WIDTH, 3 * PARTS, device="cuda") * (0.5 / WIDTH ** 0.5)
    bias, hidden = torch.zeros(3 * PARTS, device="cuda"), torch.randn(SETS, HOURS, WIDTH, device="cuda").unbind()
    winds, found, state = torch.randn(HOURS, device="cuda"), torch.empty(HOURS, device="cuda"), [0]

    @torch.no_grad()
    def one_round():
        shares, means, spreads = parts_of(torch.addmm(bias, hidden[state[0] % SETS], weights))  # fault
        judge_winds[(HOURS // TOGETHER,)](found, winds, shares, means, spreads, shares.stride(0), PARTS=PARTS,
                                          TOGETHER=TOGETHER, num_warps=4)
        state[0] += 1

    return one_round, lambda: found.double().sum().item(), ROUNDS


run_case(lambda: judging(copied), lambda: judging(as_they_are))
