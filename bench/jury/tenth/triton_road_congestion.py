"""How alike the congestion of neighbouring crossings is: Moran's statistic for 16 million of them and 32 million roads.

At fault: the roads are listed in any order, so the lanes read their crossings from all over the memory.
The pattern is that of pyg-team/pytorch_geometric, issue 719, and pytorch/FBGEMM, pull request 1113: sorted entries, so
that what neighbours read lies close together."""
import torch
import triton
import triton.language as tl

from case import run_case

CROSSINGS, ROADS, HOURS, BLOCK, ROUNDS = 1 << 24, 1 << 25, 4, 2048, 2200


@triton.jit
def alike(out, values, begins, ends, weights, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    one = tl.load(values + tl.load(begins + at))  # fault
    other = tl.load(values + tl.load(ends + at))  # fault
    tl.store(out + tl.program_id(0), tl.sum(one * other * tl.load(weights + at), 0))


def made_roads(in_order):
    """From each crossing two roads lead to crossings that are at most 256 numbers away."""
    begins = torch.arange(ROADS, device="cuda", dtype=torch.int32) // 2
    ends = (begins + torch.randint(1, 257, (ROADS,), device="cuda", dtype=torch.int32)).clamp_(max=CROSSINGS - 1)
    weights = torch.rand(ROADS, device="cuda")
    order = torch.randperm(ROADS, device="cuda")
    return (begins, ends, weights) if in_order else (begins[order], ends[order], weights[order])


def comparing(in_order):
    torch.manual_seed(1)
    roads = made_roads(in_order)
    values = torch.rand(HOURS, CROSSINGS, device="cuda")
    out, count = torch.empty(ROADS // BLOCK, device="cuda"), [0]

    def one_round():
        alike[(ROADS // BLOCK,)](out, values[count[0] % HOURS], *roads, BLOCK=BLOCK, num_warps=8)  # fault
        count[0] += 1

    return one_round, lambda: out.double().sum().item(), ROUNDS


run_case(lambda: comparing(False), lambda: comparing(True))
