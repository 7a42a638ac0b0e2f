"""The next token attends to 65,536 earlier ones, with eight heads of keys and values.

At fault: a program takes the whole context of a head, so that eight blocks run on a GPU of 132 processors.
The pattern is that of sgl-project/sglang, pull requests 21775 and 27786, which split a long context over more programs."""
import torch
import triton
import triton.language as tl

from case import run_case

HEADS, CONTEXT, WIDTH, TILE, PARTS, ROUNDS = 8, 65536, 128, 64, 64, 500


@triton.jit
def attend(out, levels, query, keys, values, CONTEXT: tl.constexpr, PARTS: tl.constexpr, WIDTH: tl.constexpr,
           TILE: tl.constexpr):
    head, part = tl.program_id(0), tl.program_id(1)
    column = tl.arange(0, WIDTH)
    own = tl.load(query + head * WIDTH + column).to(tl.float32)
    highest = -float("inf")
    total = 0.0
    sums = tl.zeros([WIDTH], tl.float32)
    for tile in range(CONTEXT // PARTS // TILE):
        token = part * (CONTEXT // PARTS) + tile * TILE + tl.arange(0, TILE)
        at = (head * CONTEXT + token)[:, None] * WIDTH + column[None, :]
        scores = tl.sum(tl.load(keys + at).to(tl.float32) * own[None, :], 1)
        higher = tl.maximum(highest, tl.max(scores, 0))
        weights = tl.exp(scores - higher)
        kept = tl.exp(highest - higher)
        total = total * kept + tl.sum(weights, 0)
        sums = sums * kept + tl.sum(weights[:, None] * tl.load(values + at).to(tl.float32), 0)
        highest = higher
    tl.store(out + (head * PARTS + part) * WIDTH + column, sums / total)
    tl.store(levels + head * PARTS + part, highest + tl.log(total))


@triton.jit
def join_parts(out, parts, levels, PARTS: tl.constexpr, WIDTH: tl.constexpr):
    head, part, column = tl.program_id(0), tl.arange(0, PARTS), tl.arange(0, WIDTH)
    level = tl.load(levels + head * PARTS + part)
    weights = tl.exp(level - tl.max(level, 0))
    own = tl.load(parts + (head * PARTS + part)[:, None] * WIDTH + column[None, :])
    tl.store(out + head * WIDTH + column, tl.sum(own * weights[:, None], 0) / tl.sum(weights, 0))


def made_tensors():
    torch.manual_seed(1)
    keys, values = (torch.randn(HEADS, CONTEXT, WIDTH, device="cuda", dtype=torch.half) for _ in range(2))
    query = torch.randn(HEADS, WIDTH, device="cuda", dtype=torch.half) / 8
    return query, keys, values, torch.randn(HEADS * WIDTH, HEADS * WIDTH, device="cuda") / 32


def total_of(hidden):
    return hidden.double().abs().sum().item()


def a_program_a_head():
    query, keys, values, projection = made_tensors()
    out, levels = torch.empty(HEADS, WIDTH, device="cuda"), torch.empty(HEADS, device="cuda")
    results = [None]

    def one_round():
        attend[(HEADS, 1)](out, levels, query, keys, values, CONTEXT=CONTEXT, PARTS=1, WIDTH=WIDTH, TILE=TILE)  # fault
        results[0] = projection @ out.view(-1)

    return one_round, lambda: total_of(results[0]), ROUNDS


def many_programs_a_head():
    query, keys, values, projection = made_tensors()
    parts, levels = torch.empty(HEADS, PARTS, WIDTH, device="cuda"), torch.empty(HEADS, PARTS, device="cuda")
    out, results = torch.empty(HEADS, WIDTH, device="cuda"), [None]

    def one_round():
        attend[(HEADS, PARTS)](parts, levels, query, keys, values, CONTEXT=CONTEXT, PARTS=PARTS, WIDTH=WIDTH, TILE=TILE)
        join_parts[(HEADS,)](out, parts, levels, PARTS=PARTS, WIDTH=WIDTH)
        results[0] = projection @ out.view(-1)

    return one_round, lambda: total_of(results[0]), ROUNDS


run_case(a_program_a_head, many_programs_a_head)
