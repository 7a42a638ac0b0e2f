"""Checks eight drafted tokens of each of 48 requests: what each token may see, and twelve products of a language model.

At fault: the mask of each request is copied on its own, 64 bytes, and joined to the rest by small operations, so that the
device waits for the host.
The pattern is that of sgl-project/sglang, pull request 32407: a loop over the requests, and all masks at once instead."""
import torch

from case import run_case

REQUESTS, DRAFTS, WIDTH, LAYERS, ROUNDS = 48, 8, 4096, 12, 400
LENGTHS = [512 + 1021 * number % 3584 for number in range(REQUESTS)]  # known to the host
TOTAL = sum(DRAFTS * (length + DRAFTS) for length in LENGTHS)


def made_tensors():
    torch.manual_seed(1)
    layers = [(torch.randn(WIDTH, WIDTH, device="cuda") / WIDTH ** 0.5).bfloat16() for _ in range(LAYERS)]
    hidden = torch.randn(REQUESTS * DRAFTS, WIDTH, device="cuda").bfloat16()
    drafted = torch.rand(REQUESTS, DRAFTS, DRAFTS) < 0.5
    return layers, hidden, drafted | torch.eye(DRAFTS, dtype=torch.bool), torch.rand(TOTAL, device="cuda")


def checked(layers, hidden, scores, mask):
    for weights in layers:
        hidden = torch.tanh(hidden @ weights)
    return hidden.float().abs().sum() + torch.where(mask, scores, 0).sum()


def request_by_request():
    layers, hidden, drafted, scores = made_tensors()
    number, results = [0], [None]

    def one_round():
        number[0] += 1
        own = drafted.roll(number[0], 0)
        parts = []
        for request, length in enumerate(LENGTHS):
            known = torch.ones(DRAFTS, length, device="cuda", dtype=torch.bool)
            new = own[request].to("cuda", non_blocking=True)  # fault
            parts.append(torch.cat([known, new], 1).flatten())
        results[0] = checked(layers, hidden, scores, torch.cat(parts))

    return one_round, lambda: results[0].item(), ROUNDS


def all_at_once():
    layers, hidden, drafted, scores = made_tensors()
    number, results = [0], [None]
    lengths, draft = torch.tensor(LENGTHS, device="cuda"), torch.arange(DRAFTS, device="cuda")

    def one_round():
        number[0] += 1
        own = drafted.roll(number[0], 0).to("cuda", non_blocking=True)
        widths = lengths + DRAFTS
        firsts = (DRAFTS * widths).cumsum(0) - DRAFTS * widths + lengths
        places = firsts[:, None, None] + draft[:, None] * widths[:, None, None] + draft
        mask = torch.ones(TOTAL, device="cuda", dtype=torch.bool).scatter_(0, places.flatten(), own.flatten())
        results[0] = checked(layers, hidden, scores, mask)

    return one_round, lambda: results[0].item(), ROUNDS


run_case(request_by_request, all_at_once)
