"""What four questions find in a slide of two million patches of tissue: weights of patches, and weighed means of features.

At fault: the softmax takes a block for each row, and there are four rows of two million scores, so the other
multiprocessors idle.
The pattern is that of mlc-ai/mlc-llm, pull request 2220: a softmax in two stages, the first one by parts of rows. Here a
compiler makes the stages."""
import torch

from case import run_case

REGIONS, PATCHES, KEYS, FEATURES, QUESTIONS, SLIDES, ROUNDS = 1024, 2048, 128, 512, 4, 2, 3000


def weights_by_row(scores):
    return scores.softmax(1)  # fault


@torch.compile
def weights_by_parts(scores):
    return scores.softmax(1)


def weighing(weights_of):
    torch.manual_seed(1)
    half = {"device": "cuda", "dtype": torch.bfloat16}
    questions = torch.randn(SLIDES, QUESTIONS, KEYS, **half) * (2 / KEYS ** 0.5)
    keys = torch.randn(REGIONS * PATCHES, KEYS, **half)
    features = torch.rand(REGIONS, PATCHES, FEATURES, **half)
    state = [0, None]

    @torch.no_grad()
    def one_round():
        scores = questions[state[0] % SLIDES] @ keys.t()
        weights = weights_of(scores).view(QUESTIONS, REGIONS, PATCHES)
        state[1] = torch.bmm(weights.transpose(0, 1), features).sum(0, dtype=torch.float32)
        state[0] += 1

    return one_round, lambda: state[1].double().abs().sum().item(), ROUNDS


run_case(lambda: weighing(weights_by_row), lambda: weighing(weights_by_parts))
