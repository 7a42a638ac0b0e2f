"""Brings the 64 MB of results of each step to the host.

At fault: they go to ordinary memory in the stream of the computation, which waits for them.
The pattern is that of sgl-project/sglang, pull request 29075, which copies results to pinned memory in a stream of their own
while the next step runs."""
import torch

from case import run_case

SIZE, ROUNDS = 4096, 120


def made_matrices():
    torch.manual_seed(1)
    return [torch.randn(SIZE, SIZE, device="cuda", dtype=torch.half) / SIZE**0.5 for _ in range(2)]


def step(states, weights):
    hidden = states
    for _ in range(4):
        hidden = torch.tanh(hidden @ weights)
    return hidden.float()


def in_the_same_stream():
    states, weights = made_matrices()
    host = torch.empty(SIZE, SIZE)

    def one_round():
        host.copy_(step(states, weights))  # fault

    return one_round, lambda: host.double().abs().mean().item(), ROUNDS


def in_a_stream_of_their_own():
    states, weights = made_matrices()
    host = [torch.empty(SIZE, SIZE, pin_memory=True) for _ in range(2)]
    results = [torch.empty(SIZE, SIZE, device="cuda") for _ in range(2)]
    side, main = torch.cuda.Stream(), torch.cuda.current_stream()
    side.wait_stream(main)
    ready, saved = ([torch.cuda.Event() for _ in results] for _ in range(2))
    turn = [0]

    def one_round():
        k = turn[0] = 1 - turn[0]
        hidden = states
        for _ in range(4):
            hidden = torch.tanh(hidden @ weights)
        main.wait_event(saved[k])
        results[k].copy_(hidden)
        ready[k].record(main)
        with torch.cuda.stream(side):
            side.wait_event(ready[k])
            host[k].copy_(results[k], non_blocking=True)
            saved[k].record(side)

    def total():
        torch.cuda.synchronize()
        return host[turn[0]].double().abs().mean().item()

    return one_round, total, ROUNDS


run_case(in_the_same_stream, in_a_stream_of_their_own)
