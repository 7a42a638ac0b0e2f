"""A step of a diffusion transformer: four layers over the 64 x 64 patches of a picture, with turns by row and by column.

At fault: the tables of the turns, 8 MB that never change, lie in ordinary memory of the host, and each step copies them to the
device and waits for them.
The pattern is that of the rotary embedding of Qwen-Image in huggingface/diffusers, pull request 13406, which keeps the tables
on the device."""
import torch
from torch.nn import functional

from case import run_case

SIDE, HEADS, WIDTH, LAYERS, PLACES, ROUNDS = 64, 8, 128, 4, 8192, 200
TOKENS, HIDDEN, QUARTER = SIDE * SIDE, HEADS * WIDTH, WIDTH // 4


def made_tables():
    """The turns of the places ahead and of those behind, on the host: half of each row for rows, half for columns."""
    speeds = (1e4 ** (-torch.arange(QUARTER) / QUARTER)).repeat(2)
    angles = torch.outer(torch.arange(PLACES).float(), speeds)
    return [torch.polar(torch.ones_like(angles), sign * angles) for sign in (1, -1)]


def made_layers():
    torch.manual_seed(1)

    def made(*shape):
        return torch.randn(*shape, device="cuda", dtype=torch.bfloat16)

    layers = [(made(3 * HIDDEN, HIDDEN) / 32, made(HIDDEN, HIDDEN) / 32, made(4 * HIDDEN, HIDDEN) / 32,
               made(HIDDEN, 4 * HIDDEN) / 64) for _ in range(LAYERS)]
    return made(1, TOKENS, HIDDEN), layers


def turns_of(ahead, behind):
    near = torch.cat([behind[1:SIDE // 2 + 1].flip(0), ahead[:SIDE // 2]])
    rows = near[:, None, :QUARTER].expand(SIDE, SIDE, QUARTER)
    columns = near[None, :, QUARTER:].expand(SIDE, SIDE, QUARTER)
    return torch.cat([rows, columns], 2).view(TOKENS, 1, WIDTH // 2)


def turned(values, turns):
    pairs = torch.view_as_complex(values.float().unflatten(3, (WIDTH // 2, 2)))
    return torch.view_as_real(pairs * turns).flatten(3).to(values.dtype)


def step(hidden, layers, turns):
    for inward, outward, up, down in layers:
        normed = functional.layer_norm(hidden, (HIDDEN,))
        queries, keys, values = functional.linear(normed, inward).view(1, TOKENS, 3, HEADS, WIDTH).unbind(2)
        queries, keys = turned(queries, turns), turned(keys, turns)
        found = functional.scaled_dot_product_attention(queries.transpose(1, 2), keys.transpose(1, 2), values.transpose(1, 2))
        hidden = hidden + functional.linear(found.transpose(1, 2).reshape(1, TOKENS, HIDDEN), outward)
        normed = functional.layer_norm(hidden, (HIDDEN,))
        hidden = hidden + functional.linear(functional.gelu(functional.linear(normed, up)), down)
    return hidden


def total_of(hidden):
    return hidden.double().abs().sum().item()


def tables_on_the_host():
    (start, layers), (ahead, behind), results = made_layers(), made_tables(), [None]

    def one_round():
        turns = turns_of(ahead.to("cuda"), behind.to("cuda"))  # fault
        results[0] = step(start, layers, turns)

    return one_round, lambda: total_of(results[0]), ROUNDS


def tables_on_the_device():
    (start, layers), results = made_layers(), [None]
    ahead, behind = (table.to("cuda") for table in made_tables())

    def one_round():
        turns = turns_of(ahead, behind)
        results[0] = step(start, layers, turns)

    return one_round, lambda: total_of(results[0]), ROUNDS


run_case(tables_on_the_host, tables_on_the_device)
