"""Expands the weights of 8 experts from 4 bits to halves, and turns each expert's matrix round.

At fault: programs go through the result in order, so that their lanes read bytes of the packed matrix 2 KB apart.
The pattern is that of microsoft/onnxruntime, whose pull request 31349 takes tiles of 64 x 64."""
import torch
import triton
import triton.language as tl

from case import run_case

EXPERTS, INPUTS, OUTPUTS, ROUNDS = 8, 4096, 4096, 600


@triton.jit
def expand_in_order(out, packed, scales, INPUTS: tl.constexpr, OUTPUTS: tl.constexpr, BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    row, column = place // INPUTS, place % INPUTS
    expert, output = row // OUTPUTS, row % OUTPUTS
    byte = tl.load(packed + (expert * INPUTS + column) * (OUTPUTS // 2) + output // 2)  # fault
    code = (byte >> (4 * (output % 2)).to(tl.uint8)) & 15
    tl.store(out + place, ((code.to(tl.float32) - 8) * tl.load(scales + row)).to(tl.float16))


@triton.jit
def expand_tile(out, packed, scales, INPUTS: tl.constexpr, OUTPUTS: tl.constexpr, PAIRS: tl.constexpr, WIDTH: tl.constexpr):
    expert = tl.program_id(2)
    pair = tl.program_id(0) * PAIRS + tl.arange(0, PAIRS)
    column = tl.program_id(1) * WIDTH + tl.arange(0, WIDTH)
    bytes_of_tile = tl.load(packed + (expert * INPUTS + column[None, :]) * (OUTPUTS // 2) + pair[:, None])
    row = expert * OUTPUTS + 2 * pair
    even = ((bytes_of_tile & 15).to(tl.float32) - 8) * tl.load(scales + row)[:, None]
    odd = ((bytes_of_tile >> 4).to(tl.float32) - 8) * tl.load(scales + row + 1)[:, None]
    places = row[:, None] * INPUTS + column[None, :]
    tl.store(out + places, even.to(tl.float16))
    tl.store(out + places + INPUTS, odd.to(tl.float16))


def made_tensors():
    torch.manual_seed(1)
    packed = torch.randint(256, (EXPERTS, INPUTS, OUTPUTS // 2), dtype=torch.uint8, device="cuda")
    scales = torch.rand(EXPERTS * OUTPUTS, device="cuda")
    return packed, scales, torch.empty(EXPERTS, OUTPUTS, INPUTS, dtype=torch.float16, device="cuda")


def total_of(out):
    return (out[0].double().abs() * (torch.arange(INPUTS, device="cuda") % 97)).sum().item()


def in_order():
    packed, scales, out = made_tensors()
    grid = (out.numel() // 1024,)
    return (lambda: expand_in_order[grid](out, packed, scales, INPUTS=INPUTS, OUTPUTS=OUTPUTS, BLOCK=1024),
            lambda: total_of(out), ROUNDS)


def by_tiles():
    packed, scales, out = made_tensors()
    grid = (OUTPUTS // 2 // 64, INPUTS // 64, EXPERTS)
    return (lambda: expand_tile[grid](out, packed, scales, INPUTS=INPUTS, OUTPUTS=OUTPUTS, PAIRS=64, WIDTH=64),
            lambda: total_of(out), ROUNDS)


run_case(in_order, by_tiles)
