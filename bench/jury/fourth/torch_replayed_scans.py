"""Trains a critic on 8192 transitions a round, which a replay buffer of the host hands out.

At fault: the transitions lie in ordinary memory, and the GPU waits for each batch of 64 MB.
The pattern is that of the replay buffers of facebookresearch/drqv2, pull request 17, whose discussion finds pinned memory and
copies beside the training much faster."""
import copy

import torch
from torch import nn

from case import run_case

BATCH, WIDTH, BATCHES, ROUNDS = 8192, 1024, 6, 150

torch.set_float32_matmul_precision("high")


def made_critic():
    torch.manual_seed(1)
    critic = nn.Sequential(nn.Linear(WIDTH, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 1)).to("cuda")
    return critic, copy.deepcopy(critic).requires_grad_(False), torch.optim.SGD(critic.parameters(), lr=1e-3)


def made_batches():
    """Scans before and after an action."""
    torch.manual_seed(2)
    return [torch.rand(2, BATCH, WIDTH) for _ in range(BATCHES)]


def train(critic, target, optimiser, batch):
    before, after = batch
    wanted = before.mean(1, keepdim=True) + 0.99 * target(after)
    loss = nn.functional.mse_loss(critic(before), wanted)
    optimiser.zero_grad(set_to_none=True)
    loss.backward()
    optimiser.step()
    return loss


def total_of(critic):
    return sum(weights.detach().double().abs().sum() for weights in critic.parameters()).item()


def from_ordinary_memory():
    critic, target, optimiser = made_critic()
    batches, number = made_batches(), [0]

    def one_round():
        batch = batches[number[0] % BATCHES].to("cuda")  # fault
        number[0] += 1
        train(critic, target, optimiser, batch)

    return one_round, lambda: total_of(critic), ROUNDS


def prefetched():
    critic, target, optimiser = made_critic()
    batches, number = [batch.pin_memory() for batch in made_batches()], [0]
    slots = [torch.empty(2, BATCH, WIDTH, device="cuda") for _ in range(2)]
    full, free = ([torch.cuda.Event() for _ in slots] for _ in range(2))
    side, main = torch.cuda.Stream(), torch.cuda.current_stream()
    side.wait_stream(main)

    def fetch(wanted):
        slot = wanted % 2
        with torch.cuda.stream(side):
            side.wait_event(free[slot])
            slots[slot].copy_(batches[wanted % BATCHES], non_blocking=True)
            full[slot].record(side)

    fetch(0)

    def one_round():
        slot = number[0] % 2
        fetch(number[0] + 1)
        main.wait_event(full[slot])
        train(critic, target, optimiser, slots[slot])
        free[slot].record(main)
        number[0] += 1

    return one_round, lambda: total_of(critic), ROUNDS


run_case(from_ordinary_memory, prefetched)
