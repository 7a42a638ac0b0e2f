"""Two layers with decays over 32,768 tokens of 16 packed sequences, which are cut into chunks of 64 tokens.

At fault: to find the sequence of each chunk, the host reads starts and numbers of chunks from the device one by one, and each
time the device idles.
The pattern is that of state-spaces/mamba, pull request 969, which finds all owners at once on the device."""
import torch
from torch.nn import functional

from case import run_case

SEQUENCES, TOKENS, CHUNK, HEADS, WIDTH, LAYERS, ROUNDS = 16, 32768, 64, 32, 1024, 2, 300
SLOTS = TOKENS // CHUNK + SEQUENCES  # as many as there can be

torch.set_float32_matmul_precision("high")


def made_tensors():
    torch.manual_seed(1)
    mean, steps = TOKENS // SEQUENCES, torch.arange(SEQUENCES) * 2 - SEQUENCES + 1
    lengths = mean + steps * (mean // 40)
    ends = torch.nn.functional.pad(lengths.cumsum(0), (1, 0)).to("cuda")
    layers = [(torch.randn(WIDTH, WIDTH, device="cuda") / WIDTH ** 0.5, -torch.rand(TOKENS, HEADS, device="cuda") / CHUNK)
              for _ in range(LAYERS)]
    return ends, torch.randn(TOKENS, WIDTH, device="cuda"), layers


def counts_of(ends):
    """The chunks of each sequence, and its tokens."""
    lengths = ends[1:] - ends[:-1]
    return (lengths + CHUNK - 1) // CHUNK, lengths


def gates_of(decays, owners, places, ends, lengths):
    """What is left of each head at the end of a chunk, on average. Slots without a chunk belong to nobody."""
    inner = torch.arange(CHUNK, device="cuda")
    within = places.unsqueeze(1) * CHUNK + inner
    there = within < functional.pad(lengths, (0, 1))[owners].unsqueeze(1)
    token = torch.where(there, ends[owners].unsqueeze(1) + within, 0)
    sums = torch.where(there.unsqueeze(2), decays[token], 0).cumsum(1)
    return sums[:, -1].exp().mean(0).repeat_interleave(WIDTH // HEADS)


def layer(hidden, weights, gates):
    return hidden + functional.layer_norm(hidden @ weights, (WIDTH,)) * gates


def total_of(hidden):
    return hidden.double().abs().sum().item()


def read_one_by_one():
    ends, start, layers = made_tensors()
    results = [None]

    def one_round():
        hidden = start
        for weights, decays in layers:
            counts, lengths = counts_of(ends)
            owners = torch.full((SLOTS,), SEQUENCES, device="cuda")
            places = torch.zeros(SLOTS, device="cuda", dtype=torch.long)
            for number in range(SEQUENCES):
                first = int(ends[number].item()) // CHUNK + number  # fault
                count = int(counts[number].item())  # fault
                owners[first:first + count] = number
                places[first:first + count] = torch.arange(count, device="cuda")
            hidden = layer(hidden, weights, gates_of(decays, owners, places, ends, lengths))
        results[0] = hidden

    return one_round, lambda: total_of(results[0]), ROUNDS


def found_at_once():
    ends, start, layers = made_tensors()
    slots, numbers, results = torch.arange(SLOTS, device="cuda"), torch.arange(SEQUENCES, device="cuda"), [None]

    def one_round():
        hidden = start
        for weights, decays in layers:
            counts, lengths = counts_of(ends)
            firsts = ends[:-1] // CHUNK + numbers
            nearest = torch.searchsorted(firsts, slots, right=True) - 1
            inside = slots - firsts[nearest]
            own = inside < counts[nearest]
            owners = torch.where(own, nearest, SEQUENCES)
            places = torch.where(own, inside, 0)
            hidden = layer(hidden, weights, gates_of(decays, owners, places, ends, lengths))
        results[0] = hidden

    return one_round, lambda: total_of(results[0]), ROUNDS


run_case(read_one_by_one, found_at_once)
