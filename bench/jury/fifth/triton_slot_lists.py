"""Lists the slots of the cache that the tokens of eight long requests hold, before a step of decoding.

At fault: a program walks along all tokens of a request, so that eight blocks run on a GPU of 132 processors.
The pattern is that of the lists of slots in sgl-project/sglang, pull requests 27320 and 37659, which give the tokens of a
request to many programs."""
import torch
import triton
import triton.language as tl

from case import run_case

REQUESTS, CONTEXT, POOL, BLOCK, PARTS, HIDDEN, ROUNDS = 8, 262144, 16, 512, 64, 4096, 2000


@triton.jit
def list_slots(out, table, rows, starts, CONTEXT: tl.constexpr, BLOCK: tl.constexpr):
    request = tl.program_id(0)
    start = tl.load(starts + request)
    length = tl.load(starts + request + 1) - start
    row = table + tl.load(rows + request) * CONTEXT
    for block in range(tl.program_id(1), tl.cdiv(length, BLOCK), tl.num_programs(1)):
        token = block * BLOCK + tl.arange(0, BLOCK)
        there = token < length
        tl.store(out + start + token, tl.load(row + token, mask=there), mask=there)


def made_tables():
    torch.manual_seed(1)
    table = torch.arange(POOL * CONTEXT, device="cuda", dtype=torch.int32).view(POOL, CONTEXT)
    rows = torch.arange(REQUESTS, device="cuda", dtype=torch.int32) * 5 % POOL
    lengths = CONTEXT - 64 * torch.arange(REQUESTS, device="cuda")
    starts = torch.zeros(REQUESTS + 1, device="cuda", dtype=torch.int32)
    starts[1:] = lengths.cumsum(0)
    out = torch.zeros(REQUESTS * CONTEXT, device="cuda", dtype=torch.int32)
    tokens, weights = (torch.randn(count, HIDDEN, device="cuda", dtype=torch.half) / 64 for count in (REQUESTS, HIDDEN))
    return table, rows, starts, out, tokens, weights


def total_of(out, hidden):
    return out.double().sum().item() / CONTEXT + hidden.double().abs().sum().item()


def a_program_a_request():
    table, rows, starts, out, tokens, weights = made_tables()
    results = [None]

    def one_round():
        list_slots[(REQUESTS, 1)](out, table, rows, starts, CONTEXT=CONTEXT, BLOCK=BLOCK)  # fault
        results[0] = tokens @ weights

    return one_round, lambda: total_of(out, results[0]), ROUNDS


def many_programs_a_request():
    table, rows, starts, out, tokens, weights = made_tables()
    results = [None]

    def one_round():
        list_slots[(REQUESTS, PARTS)](out, table, rows, starts, CONTEXT=CONTEXT, BLOCK=BLOCK)
        results[0] = tokens @ weights

    return one_round, lambda: total_of(out, results[0]), ROUNDS


run_case(a_program_a_request, many_programs_a_request)
