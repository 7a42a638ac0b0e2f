"""Learns what two million objects of museums have to do with each other: a round takes 32768 facts of the kind "this
was made by the one who made that" in 8 groups, and learns vectors of objects by which, for each first object, the
second one of the same fact is told from those of the other facts of its group.

At fault: the gradient of the table of vectors is a whole table of 1.1 GB, which is filled with zeros, and which the
optimiser reads to change a table of which a thirtieth is asked for; let the table have a sparse gradient, of just the
rows that were looked up.
The pattern is that of pytorch/pytorch, issue 5309 (a table of half a million rows takes long to optimise, and a sparse
gradient helps a lot), and keras-team/keras, pull request 8681: 86 ms become 33 with a gradient of the rows."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

OBJECTS, KINDS, SIZE, GROUPS, FACTS, SETS, RATE, ROUNDS = 1 << 21, 64, 128, 8, 4096, 16, 0.1, 1300

torch.set_float32_matmul_precision("high")


class Museums(nn.Module):
    def __init__(self, sparse):
        super().__init__()
        self.objects, self.kinds = nn.Embedding(OBJECTS, SIZE, sparse=sparse), nn.Embedding(KINDS, SIZE)
        self.objects.weight.data.mul_(0.3)

    def forward(self, ends, kinds):
        """How likely each fact is with each second object of its group."""
        first, second = self.objects(ends)  # fault
        return torch.bmm(first * self.kinds(kinds), second.transpose(1, 2))


class Facts:
    def __init__(self):
        with torch.device("cuda"):
            self.ends = torch.randint(OBJECTS, (SETS, 2, GROUPS, FACTS))
            self.kinds = torch.randint(KINDS, (SETS, GROUPS, FACTS))
            self.own = torch.arange(FACTS).repeat(GROUPS)
        self.number = 0

    def next(self):
        own = self.number % SETS
        self.number += 1
        return self.ends[own], self.kinds[own]


class Learner:
    def __init__(self, sparse):
        self.facts = Facts()
        with torch.device("cuda"):
            self.museums, self.losses = Museums(sparse), torch.zeros(())
        self.optimiser = torch.optim.SGD(self.museums.parameters(), lr=RATE)

    def learn(self):
        scores = self.museums(*self.facts.next())
        loss = functional.cross_entropy(scores.flatten(0, 1), self.facts.own)
        loss.backward()  # fault
        self.optimiser.step()  # fault
        self.optimiser.zero_grad()
        self.losses.add_(loss.detach())

    def total(self):
        return self.losses.item() + self.museums.objects.weight.detach().square().mean().item()


def collecting(sparse):
    torch.manual_seed(1)
    learner = Learner(sparse)
    return learner.learn, learner.total, ROUNDS


run_case(lambda: collecting(False), lambda: collecting(True))
