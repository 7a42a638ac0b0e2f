"""A layer of 32 experts, of which each token wants one.

At fault: for each expert the host asks whether any token wants it, and which; three times it waits for a few bytes.
The pattern is that of jingyaogong/minimind, as issue 835 describes it. The repair sorts the tokens by their experts on the
device, each expert with room for the same number."""
import torch

from case import run_case

TOKENS, WIDTH, EXPERTS, ROOM, ROUNDS = 4096, 512, 32, 256, 100


def made_layer():
    torch.manual_seed(1)
    tokens = torch.randn(TOKENS, WIDTH, device="cuda")
    gate = torch.randn(WIDTH, EXPERTS, device="cuda")
    up, down = (torch.randn(EXPERTS, WIDTH, WIDTH, device="cuda") / WIDTH**0.5 for _ in range(2))
    return tokens, gate, up, down


def by_masks():
    tokens, gate, up, down = made_layer()
    out = torch.empty_like(tokens)

    def one_round():
        weight, choice = (tokens @ gate).softmax(-1).max(-1)
        out.zero_()
        for expert in range(EXPERTS):
            mask = choice == expert
            if mask.any():  # fault
                chosen = mask.nonzero().flatten()  # fault
                own = weight[mask]  # fault
                out.index_add_(0, chosen, torch.relu(tokens[chosen] @ up[expert]) @ down[expert] * own[:, None])

    return one_round, lambda: out.double().abs().sum().item(), ROUNDS


def by_sorting():
    tokens, gate, up, down = made_layer()
    out = torch.empty_like(tokens)
    padded = torch.zeros(EXPERTS * ROOM, WIDTH, device="cuda")
    experts, places = torch.arange(EXPERTS, device="cuda"), torch.arange(TOKENS, device="cuda")

    def one_round():
        weight, choice = (tokens @ gate).softmax(-1).max(-1)
        ordered, order = choice.sort(stable=True)
        slots = ordered * ROOM + places - torch.searchsorted(ordered, experts)[ordered]
        padded.index_copy_(0, slots, tokens[order])
        hidden = torch.relu(torch.bmm(padded.view(EXPERTS, ROOM, WIDTH), up))
        results = torch.bmm(hidden, down).view(EXPERTS * ROOM, WIDTH)
        out.index_copy_(0, order, results[slots] * weight[order][:, None])

    return one_round, lambda: out.double().abs().sum().item(), ROUNDS


run_case(by_masks, by_sorting)
