"""Four layers of 4096 x 4096 weights that lie in the host's memory.

At fault: the weights lie in ordinary memory, and the GPU waits for each of them before it computes.
The pattern is that of huggingface/diffusers, pull request 10516, which copies pinned weights of the next group in a stream of
its own."""
import torch

from case import run_case

TOKENS, WIDTH, LAYERS, ROUNDS = 8192, 4096, 4, 50


def made_layers():
    torch.manual_seed(1)
    tokens = torch.randn(TOKENS, WIDTH, device="cuda", dtype=torch.half)
    return tokens, [torch.randn(WIDTH, WIDTH, device="cuda", dtype=torch.half) * (2 / WIDTH)**0.5 for _ in range(LAYERS)]


def total_of(hidden):
    return hidden.double().abs().mean().item()


def one_after_the_other():
    tokens, weights = made_layers()
    host, results = [weight.cpu() for weight in weights], [None]

    def one_round():
        hidden = tokens
        for weight in host:
            hidden = torch.relu(hidden @ weight.to("cuda"))  # fault
        results[0] = hidden

    return one_round, lambda: total_of(results[0]), ROUNDS


def ahead_of_time():
    tokens, weights = made_layers()
    host = [torch.empty(WIDTH, WIDTH, dtype=torch.half, pin_memory=True).copy_(weight) for weight in weights]
    slots, results = [torch.empty_like(weights[0]) for _ in range(2)], [None]
    ready, free = ([torch.cuda.Event() for _ in slots] for _ in range(2))
    side, main = torch.cuda.Stream(), torch.cuda.current_stream()
    side.wait_stream(main)

    def load(layer):
        with torch.cuda.stream(side):
            side.wait_event(free[layer % 2])
            slots[layer % 2].copy_(host[layer], non_blocking=True)
            ready[layer % 2].record(side)

    load(0)

    def one_round():
        hidden = tokens
        for layer in range(LAYERS):
            load((layer + 1) % LAYERS)
            main.wait_event(ready[layer % 2])
            hidden = torch.relu(hidden @ slots[layer % 2])
            free[layer % 2].record(main)
        results[0] = hidden

    return one_round, lambda: total_of(results[0]), ROUNDS


run_case(one_after_the_other, ahead_of_time)
