"""Brings a batch of 64 MB from pinned memory for each step of a linear layer.

At fault: the copy and the step are in one stream, so that they take turns.
The pattern is that of NVIDIA/apex, whose issue 304 explains why its prefetcher copies in a stream of its own."""
import torch

from case import run_case

ROWS, WIDTH, OUTPUTS, ROUNDS = 4096, 4096, 2048, 150


def made_batches():
    torch.manual_seed(1)
    hosts = [torch.rand(ROWS, WIDTH).pin_memory() for _ in range(2)]
    buffers = [torch.empty(ROWS, WIDTH, device="cuda") for _ in range(2)]
    weights = torch.rand(WIDTH, OUTPUTS, device="cuda") / WIDTH
    return hosts, buffers, weights, torch.zeros(ROWS, OUTPUTS, device="cuda")


def in_one_stream():
    hosts, buffers, weights, total = made_batches()
    step = [0]

    def one_round():
        now = step[0] % 2
        step[0] += 1
        buffers[now].copy_(hosts[now], non_blocking=True)  # fault
        total.addmm_(buffers[now], weights, beta=0.5)

    return one_round, lambda: total.double().sum().item(), ROUNDS


def prefetched():
    hosts, buffers, weights, total = made_batches()
    step, side = [0], torch.cuda.Stream()
    arrived, read = ([torch.cuda.Event() for _ in range(2)] for _ in range(2))
    buffers[0].copy_(hosts[0])
    torch.cuda.synchronize()

    def one_round():
        now, after = step[0] % 2, (step[0] + 1) % 2
        step[0] += 1
        main = torch.cuda.current_stream()
        main.wait_event(arrived[now])
        with torch.cuda.stream(side):
            side.wait_event(read[after])
            buffers[after].copy_(hosts[after], non_blocking=True)
            arrived[after].record(side)
        total.addmm_(buffers[now], weights, beta=0.5)
        read[now].record(main)

    return one_round, lambda: total.double().sum().item(), ROUNDS


run_case(in_one_stream, prefetched)
