"""Decodes 256 texts at once: a step has eight products, the scores of 32,768 words, and the best word of each text.

Nothing is wrong: the words go to pinned memory in a stream of their own, and the host reads those of the step before, while
the next step runs.
The pattern is that of the outputs in vllm-project/vllm, vllm/v1/worker/gpu_model_runner.py, which are fetched beside the next
step."""
import torch

from case import run_case

TEXTS, WIDTH, LAYERS, WORDS, ROUNDS = 256, 4096, 8, 32768, 600


def decoding():
    torch.manual_seed(1)
    layers = [torch.randn(WIDTH, WIDTH, device="cuda", dtype=torch.bfloat16) / WIDTH ** 0.5 for _ in range(LAYERS)]
    table = torch.randn(WORDS, WIDTH, device="cuda", dtype=torch.bfloat16)
    words = torch.randint(WORDS, (TEXTS,), device="cuda")
    kept = [torch.empty(TEXTS, dtype=torch.long).pin_memory() for _ in range(2)]
    copied = [torch.cuda.Event() for _ in kept]
    side, main = torch.cuda.Stream(), torch.cuda.current_stream()
    state, number, total = [words], [0], [0]

    def one_round():
        hidden = table[state[0]]
        for weights in layers:
            hidden = torch.tanh(hidden @ weights)
        state[0] = (hidden @ table.t()).argmax(1)
        slot = number[0] % 2
        side.wait_stream(main)
        with torch.cuda.stream(side):
            kept[slot].copy_(state[0], non_blocking=True)
            copied[slot].record(side)
        state[0].record_stream(side)
        if number[0] > 0:
            copied[1 - slot].synchronize()
            total[0] += int(kept[1 - slot].sum())
        number[0] += 1

    return one_round, lambda: total[0], ROUNDS


run_case(None, decoding)
