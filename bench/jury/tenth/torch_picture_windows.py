"""Attention of 131,072 patches of pictures, each among the 64 of its window, with turned queries and keys.

At fault: queries and keys are copied out of the product of the layer before they are turned into new memory.
The pattern is that of vllm-project/vllm, pull request 51537: they are turned where the product has put them."""
import torch
from torch.nn import functional

from case import run_case

WINDOWS, PATCHES, HEADS, EACH, ROUNDS = 2048, 64, 8, 64, 1000
TOKENS, WIDTH = WINDOWS * PATCHES, HEADS * EACH


@torch.compile
def turned(pairs, cosines, sines):
    first, second = pairs.chunk(2, -1)
    both = first * cosines - second * sines, second * cosines + first * sines
    return torch.cat(both, -1).to(pairs.dtype)


def of_a_copy(both, cosines, sines):
    copied = both.transpose(0, 1).contiguous()  # fault
    return turned(copied, cosines[:, None], sines[:, None]).unbind()


def of_a_view(both, cosines, sines):
    return turned(both, cosines[:, None, None], sines[:, None, None]).unbind(1)


def made_tables():
    speeds = 10000.0 ** (-torch.arange(EACH // 2, device="cuda") / (EACH // 2))
    angles = (torch.arange(TOKENS, device="cuda") % 4096)[:, None] * speeds
    return angles.cos(), angles.sin()


def attending(turn):
    torch.manual_seed(1)
    tokens = torch.randn(TOKENS, WIDTH, device="cuda").bfloat16()
    inner = (torch.randn(3 * WIDTH, WIDTH, device="cuda") / WIDTH ** 0.5).bfloat16()
    outer = (torch.randn(WIDTH, WIDTH, device="cuda") / WIDTH ** 0.5).bfloat16()
    tables, kept = made_tables(), [None]

    def windows_of(part):
        return part.unflatten(0, (WINDOWS, PATCHES)).transpose(1, 2)

    @torch.no_grad()
    def one_round():
        parts = functional.linear(tokens, inner).view(TOKENS, 3, HEADS, EACH)
        queries, keys = turn(parts[:, :2], *tables)
        found = functional.scaled_dot_product_attention(windows_of(queries), windows_of(keys), windows_of(parts[:, 2]))
        kept[0] = functional.linear(found.transpose(1, 2).reshape(TOKENS, WIDTH), outer)

    return one_round, lambda: kept[0].double().abs().sum().item(), ROUNDS


run_case(lambda: attending(of_a_copy), lambda: attending(of_a_view))
