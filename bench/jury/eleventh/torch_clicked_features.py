"""Scores clicks: 256 features of 4096 visitors come from the host for each batch, then embeddings and three layers.

At fault: each feature is a tensor of its own, so a batch is 256 copies of 16 KB, which the host submits one by one.
The pattern is that of meta-pytorch/torchrec, pull request 3774: the copies of more than 500 tensors a batch keep the host
from submitting kernels. Here the features of a batch lie in one buffer, which is copied at once."""
import torch
import torch.nn.functional as F
from torch import nn

from case import run_case

FEATURES, VISITORS, WORDS, WIDTH, BUFFERS, ROUNDS = 256, 4096, 4096, 64, 16, 1300


class Scores(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.randn(FEATURES * WORDS, WIDTH, device="cuda", dtype=torch.float16))
        self.register_buffer("begins", torch.arange(FEATURES, device="cuda", dtype=torch.int32)[:, None] * WORDS)
        self.layers = nn.Sequential(nn.Linear(FEATURES * WIDTH, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU(),
                                    nn.Linear(1024, 1)).to("cuda", torch.float16)

    def forward(self, features):
        """`features` has a row a feature; the words of all features are in one table."""
        words = (features + self.begins).t().contiguous()
        return self.layers(F.embedding(words, self.table).view(VISITORS, -1))


class Reader:
    """Fills pinned buffers in turn. A buffer is filled again when its copy has ended."""
    def __init__(self):
        self.buffers = [torch.randint(0, WORDS, (FEATURES, VISITORS), dtype=torch.int32).pin_memory()
                        for _ in range(BUFFERS)]
        self.copied = [torch.cuda.Event() for _ in range(BUFFERS)]
        self.number = 0

    def next_batch(self, sent):
        place = self.number % BUFFERS
        self.copied[place].synchronize()
        buffer = self.buffers[place]
        buffer[self.number % FEATURES].add_(1).remainder_(WORDS)
        features = sent(buffer)
        self.copied[place].record()
        self.number += 1
        return features


def sent_by_feature(buffer):
    return torch.stack([feature.to("cuda", non_blocking=True) for feature in buffer.unbind()])  # fault


def sent_at_once(buffer):
    return buffer.to("cuda", non_blocking=True)


def scoring(sent):
    torch.manual_seed(1)
    net, reader, state = Scores(), Reader(), [None]

    @torch.no_grad()
    def one_round():
        state[0] = net(reader.next_batch(sent))

    return one_round, lambda: state[0].double().abs().sum().item(), ROUNDS


run_case(lambda: scoring(sent_by_feature), lambda: scoring(sent_at_once))
