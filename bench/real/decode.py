"""Decodes one token at a time with a KV cache; a step is a CUDA graph.

Planted: the keys are laid out so that those of a head lie far apart, and each step copies them into another order (G01
inside of the graph)."""
import sys

import torch
import torch.nn.functional as F

from steady import steady

WIDTH, HEADS, DEPTH, LENGTH, BATCH, VOCABULARY = 1024, 16, 8, 1024, 8, 8192


def main():
    tokens = int(sys.argv[1])
    torch.manual_seed(0)
    kind = {"device": "cuda", "dtype": torch.bfloat16}
    size = WIDTH // HEADS
    weights = [[torch.randn(WIDTH, wide, **kind) * 0.02 for wide in (3 * WIDTH, WIDTH)] for _ in range(DEPTH)]
    head = torch.randn(WIDTH, VOCABULARY, **kind) * 0.02
    embedding = torch.randn(VOCABULARY, WIDTH, **kind)
    # planted: batch and head are the last dimensions, so that a product of one head's keys needs a copy of all
    keys = [torch.zeros(LENGTH, size, BATCH, HEADS, **kind).permute(2, 3, 1, 0) for _ in range(DEPTH)]
    values = [torch.zeros(BATCH, HEADS, LENGTH, size, **kind) for _ in range(DEPTH)]
    place = torch.zeros(1, dtype=torch.long, device="cuda")
    current = torch.zeros(BATCH, dtype=torch.long, device="cuda")

    def step():
        x = embedding[current]
        seen = torch.arange(LENGTH, device="cuda") <= place
        for layer, (qkv, out) in enumerate(weights):
            q, k, v = F.layer_norm(x, (WIDTH,)).matmul(qkv).view(BATCH, 3, HEADS, size).unbind(1)
            keys[layer].index_copy_(3, place, k.unsqueeze(3))
            values[layer].index_copy_(2, place, v.unsqueeze(2))
            scores = torch.einsum("bhs,bhsl->bhl", q, keys[layer]) / size**0.5
            chosen = torch.softmax(scores.masked_fill(~seen, float("-inf")), -1)
            x = x + torch.einsum("bhl,bhls->bhs", chosen, values[layer]).reshape(BATCH, WIDTH).matmul(out)
        current.copy_(x.matmul(head).argmax(-1))
        place.add_(1).remainder_(LENGTH)

    side = torch.cuda.Stream()
    with torch.cuda.stream(side), torch.no_grad():
        for _ in range(3):
            step()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph), torch.no_grad():
        step()
    for _ in steady(tokens, torch.cuda.synchronize):
        graph.replay()
    print("token", int(current.max()) < VOCABULARY, int(place) == (3 + tokens) % LENGTH)


if __name__ == "__main__":
    main()
