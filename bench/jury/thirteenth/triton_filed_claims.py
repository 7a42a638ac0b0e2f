"""Fits how claims to an insurer follow each other: each claim makes more of them likely for a while. Each round weighs 4096
claims of each of 65,536 portfolios by one set of parameters, and keeps the best likelihood of each.

Nothing is wrong: a program takes a portfolio, reads its claims once, goes along them by a scan in registers, and stores one
number.
The pattern is that of triton-lang/triton, pull request 2947: a scan of pairs, so that a recurrence needs one pass."""
import torch
import triton
import triton.language as tl

from case import run_case

PORTFOLIOS, CLAIMS, ROUNDS = 65536, 4096, 4500


@triton.jit
def after_each_other(decay, before, next_decay, own):
    return decay * next_decay, next_decay * before + own


@triton.jit
def weigh_claims(best, gaps, base, jump, pace, CLAIMS: tl.constexpr):
    portfolio = tl.program_id(0).to(tl.int64)
    claim = tl.arange(0, CLAIMS)
    gap = tl.load(gaps + portfolio * CLAIMS + claim)
    decay = tl.exp(-pace * gap)
    _, excited = tl.associative_scan((decay, decay), 0, after_each_other)
    last = tl.sum(tl.where(claim == CLAIMS - 1, excited, 0.0), 0)
    expected = base * tl.sum(gap, 0) + jump / pace * (CLAIMS - 1 - last)
    likelihood = tl.sum(tl.log(base + jump * excited), 0) - expected
    tl.store(best + portfolio, tl.maximum(tl.load(best + portfolio), likelihood))


def parameters(number):
    """How often claims come by themselves, how many more a claim brings at once, and how fast that ends."""
    return 0.4 + 0.1 * (number % 7), 0.1 + 0.1 * (number % 5), 1.0 + 0.5 * (number % 11)


def fitting():
    torch.manual_seed(1)
    gaps = torch.empty(PORTFOLIOS, CLAIMS, device="cuda").exponential_()
    best, state = torch.full((PORTFOLIOS,), float("-inf"), device="cuda"), [0]

    def one_round():
        weigh_claims[(PORTFOLIOS,)](best, gaps, *parameters(state[0]), CLAIMS=CLAIMS, num_warps=8)
        state[0] += 1

    return one_round, lambda: best.double().sum().item(), ROUNDS


run_case(None, fitting)
