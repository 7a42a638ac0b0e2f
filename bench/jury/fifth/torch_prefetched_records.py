"""Trains a perceptron on 8192 records a round, which a loader of the host hands out.

Nothing is wrong: the records lie in pinned memory, and the next ones are copied in a stream of their own beside the training.
The pattern is that of the prefetching loader in huggingface/pytorch-image-models, timm/data/loader.py."""
import torch
from torch import nn

from case import run_case

RECORDS, WIDTH, HIDDEN, WANTED, BATCHES, ROUNDS = 8192, 2048, 4096, 64, 6, 200
GROWTH = 1 / 64  # of the first record, so that each batch is another one


def training():
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(WIDTH, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, WANTED))
    model.to("cuda", torch.bfloat16)
    optimiser = torch.optim.SGD(model.parameters(), lr=1e-3, fused=True)
    batches = [torch.rand(RECORDS, WIDTH).bfloat16().pin_memory() for _ in range(BATCHES)]
    copied = [torch.cuda.Event() for _ in batches]
    slots = [torch.empty(RECORDS, WIDTH, device="cuda", dtype=torch.bfloat16) for _ in range(2)]
    full, free = ([torch.cuda.Event() for _ in slots] for _ in range(2))
    side, main, number = torch.cuda.Stream(), torch.cuda.current_stream(), [0]
    side.wait_stream(main)

    def fetch(wanted):
        own, slot = wanted % BATCHES, wanted % 2
        copied[own].synchronize()
        batches[own][0].add_(GROWTH)
        with torch.cuda.stream(side):
            side.wait_event(free[slot])
            slots[slot].copy_(batches[own], non_blocking=True)
            full[slot].record(side)
            copied[own].record(side)

    fetch(0)

    def one_round():
        slot = number[0] % 2
        fetch(number[0] + 1)
        main.wait_event(full[slot])
        records = slots[slot]
        loss = nn.functional.mse_loss(model(records), records[:, :WANTED])
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        free[slot].record(main)
        number[0] += 1

    return one_round, lambda: sum(weights.detach().double().abs().sum() for weights in model.parameters()).item(), ROUNDS


run_case(None, training)
