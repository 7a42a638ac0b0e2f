"""Weighs lorries that cross a bridge: 128 of them a round, each with 192 to 256 readings of 32 gauges, which come from the host;
layers look at all readings, and the largest answer of each lorry is its weight.

At fault: the readings of each lorry are a tensor of their own, and each is copied to the GPU by itself, so 128 small copies and
as many waits come one after the other while the GPU idles.
The pattern is that of m87-labs/kestrel, pull requests 109 and 110: many small fields are packed on the host, and copied once."""
import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

from case import run_case

LORRIES, SHORTEST, LONGEST, GAUGES, WIDTH, LAYERS, SETS, ROUNDS = 128, 192, 256, 32, 1024, 6, 8, 2000

torch.set_float32_matmul_precision("high")


def made_layers():
    sizes = [GAUGES] + LAYERS * [WIDTH]
    layers = [part for before, after in zip(sizes, sizes[1:]) for part in (nn.Linear(before, after), nn.ReLU(inplace=True))]
    return nn.Sequential(*layers, nn.Linear(WIDTH, 1)).to("cuda")


def made_crossings():
    """For each set, the readings of each lorry."""
    crossings = []
    for _ in range(SETS):
        lengths = torch.randint(SHORTEST, LONGEST + 1, (LORRIES,)).tolist()
        crossings.append([torch.randn(length, GAUGES) for length in lengths])
    return crossings


def sent_singly(crossing):
    return pad_sequence([own.to("cuda") for own in crossing], batch_first=True)  # fault


def sent_together(crossing):
    return pad_sequence(crossing, batch_first=True).pin_memory().to("cuda", non_blocking=True)


def weighing(sent):
    torch.manual_seed(1)
    layers, crossings, state = made_layers(), made_crossings(), [0, None]

    @torch.no_grad()
    def one_round():
        readings = sent(crossings[state[0] % SETS])  # fault
        state[:] = state[0] + 1, layers(readings).squeeze(2).amax(1)

    return one_round, lambda: state[1].double().abs().sum().item(), ROUNDS


run_case(lambda: weighing(sent_singly), lambda: weighing(sent_together))
