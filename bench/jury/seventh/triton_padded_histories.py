"""Pads the histories of 512 people, 1 to 512 items of 512 values each, to one length.

Nothing is wrong: programs beyond the end of a history store zeros only, and those within it read rows that lie side by side.
The pattern is that of pytorch/FBGEMM, fbgemm_gpu/fbgemm_gpu/triton/jagged/triton_jagged_tensor_ops.py."""
import torch
import triton
import triton.language as tl

from case import run_case

PEOPLE, LONGEST, WIDTH, ROWS, BLOCK, ROUNDS = 512, 512, 512, 8, 512, 800


@triton.jit
def pad_histories(out, items, firsts, LONGEST: tl.constexpr, WIDTH: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    person = tl.program_id(1)
    first, end = tl.load(firsts + person), tl.load(firsts + person + 1)
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    column = tl.arange(0, BLOCK)
    inside = (first + row < end)[:, None] & (column < WIDTH)[None, :]
    own = tl.load(items + (first + row)[:, None] * WIDTH + column[None, :], mask=inside, other=0.0)
    at = (person * LONGEST + row)[:, None] * WIDTH + column[None, :]
    tl.store(out + at, own, mask=(row < LONGEST)[:, None] & (column < WIDTH)[None, :])


def padding():
    torch.manual_seed(1)
    lengths = torch.randint(1, LONGEST + 1, (PEOPLE,))
    firsts = torch.cat([torch.zeros(1, dtype=torch.long), lengths.cumsum(0)])
    items = torch.randn(int(firsts[-1]), WIDTH, device="cuda", dtype=torch.bfloat16)
    out = torch.empty(PEOPLE, LONGEST, WIDTH, device="cuda", dtype=torch.bfloat16)
    firsts = firsts.to("cuda")

    def one_round():
        pad_histories[(LONGEST // ROWS, PEOPLE)](
            out, items, firsts, LONGEST=LONGEST, WIDTH=WIDTH, ROWS=ROWS, BLOCK=BLOCK, num_warps=8)

    return one_round, lambda: out.double().abs().sum().item(), ROUNDS


run_case(None, padding)
