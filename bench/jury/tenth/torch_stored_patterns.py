"""Finds which of 65,536 stored patterns 8192 states belong to, in two steps of a Hopfield network with eight heads, and
reads the marks of what it has found.

Nothing is wrong: a step is one call of the library, which keeps the scores of states and patterns to itself, and so is
the reading.
The pattern is that of ml-jku/hopfield-layers, hflayers/functional.py, with other sizes."""
import torch
from torch.nn import functional

from case import run_case

HEADS, STATES, PATTERNS, WIDTH, STEPS, SHARPNESS, ROUNDS = 8, 8192, 65536, 64, 2, 0.25, 200


def made_memory():
    """Patterns of all heads, and the marks that are read where a pattern is found."""
    patterns = torch.randn(1, HEADS, PATTERNS, WIDTH, device="cuda").bfloat16()
    return patterns, torch.randn(1, HEADS, PATTERNS, WIDTH, device="cuda").bfloat16()


def made_states(patterns):
    noise = torch.randn(1, HEADS, STATES, WIDTH, device="cuda")
    return (patterns[:, :, :STATES] + 0.5 * noise).bfloat16()


def associated(states, patterns, values):
    return functional.scaled_dot_product_attention(states, patterns, values, scale=SHARPNESS)


def retrieving():
    torch.manual_seed(1)
    patterns, marks = made_memory()
    states, kept = made_states(patterns), [None]

    @torch.no_grad()
    def one_round():
        found = states
        for _ in range(STEPS):
            found = associated(found, patterns, patterns)
        kept[0] = associated(found, patterns, marks)

    return one_round, lambda: kept[0].double().square().sum().item(), ROUNDS


run_case(None, retrieving)
