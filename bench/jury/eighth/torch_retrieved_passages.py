"""Finds the 20 nearest of 500,000 passages for 512 questions a round.

Nothing is wrong: products in half precision, then topk. The host reads one number in 50 rounds, and found rows are picked.
The pattern is that of facebookresearch/faiss, issue 3621: products and topk of PyTorch."""
import torch

from case import run_case

PASSAGES, QUESTIONS, WIDTH, NEAREST, EACH, ROUNDS = 500_000, 512, 768, 20, 50, 600


def retrieving():
    torch.manual_seed(1)
    passages = torch.nn.functional.normalize(torch.randn(PASSAGES, WIDTH, device="cuda").half(), dim=1)
    questions = torch.randn(QUESTIONS, WIDTH, device="cuda").half()
    seen, state = torch.zeros((), dtype=torch.float64, device="cuda"), [0, 0.0]

    @torch.no_grad()
    def one_round():
        scores, places = (questions @ passages.t()).topk(NEAREST, dim=1)
        found = passages[places[:, 0]]
        seen.add_((found * questions).sum(dtype=torch.float64))
        state[0] += 1
        if state[0] % EACH == 0:
            state[1] = seen.item()

    return one_round, lambda: state[1], ROUNDS


run_case(None, retrieving)
