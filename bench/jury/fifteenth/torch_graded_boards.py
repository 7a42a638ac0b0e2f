"""Grades boards of wood: 512 boards a round, each with 4096 readings of how it swings, pass eight wide layers.

At fault: the weights are kept as floats and autocast is on, so all eight tables of weights, 537 MB, are converted to bfloat16 in
each round, although they never change; convert the network once.
The pattern is that of chaiNNer-org/chaiNNer, pull request 1024, and huggingface/diffusers, pull request 2021: a network that was
converted before instead of autocast, where nothing is trained."""
import contextlib

import torch
from torch import nn

from case import run_case

BOARDS, WIDTH, LAYERS, GRADES, SETS, ROUNDS = 512, 4096, 8, 16, 8, 13000


def made_layers():
    layers = [part for _ in range(LAYERS) for part in (nn.Linear(WIDTH, WIDTH), nn.ReLU(inplace=True))]
    return nn.Sequential(*layers, nn.Linear(WIDTH, GRADES)).to("cuda")


def in_autocast(layers):
    return layers, torch.float32, lambda: torch.autocast("cuda", dtype=torch.bfloat16)  # fault


def converted_once(layers):
    return layers.to(torch.bfloat16), torch.bfloat16, contextlib.nullcontext


def grading(made):
    torch.manual_seed(1)
    layers, kind, surrounding = made(made_layers())  # fault
    boards, state = torch.randn(SETS, BOARDS, WIDTH, device="cuda").to(kind).unbind(), [0, None]

    @torch.no_grad()
    def one_round():
        with surrounding():  # fault
            state[1] = layers(boards[state[0] % SETS])  # fault
        state[0] += 1

    return one_round, lambda: state[1].double().abs().sum().item(), ROUNDS


run_case(lambda: grading(in_autocast), lambda: grading(converted_once))
