"""Learns which advertisements are clicked: a network like DLRM with 26 categories, whose vectors lie in one table of ten million
rows, and 13 numbers; each round trains on 16384 impressions.

At fault: the table's gradient is dense, so each round fills 2.6 GB with zeros, adds some 400 thousand rows, and the optimiser
reads all of it and changes the whole table; a sparse gradient holds just the rows that were looked up, and plain SGD changes only
those.
The pattern is that of keras-team/keras, pull request 8681 (sparse gradients for SGD, 86 ms become 33), and facebookresearch/dlrm,
issue 15, where SGD is used because it can change just the rows that were looked up."""
import torch
from torch import nn

from case import run_case

BATCH, NUMBERS, FIELDS, VALUES, SIZE, SETS, ROUNDS = 16384, 13, 26, 393216, 64, 16, 800

torch.set_float32_matmul_precision("high")


def made_tower(*sizes):
    parts = [part for before, after in zip(sizes, sizes[1:]) for part in (nn.Linear(before, after), nn.ReLU(inplace=True))]
    return nn.Sequential(*parts)


class Recommender(nn.Module):
    def __init__(self, sparse):
        super().__init__()
        self.table = nn.Embedding(FIELDS * VALUES, SIZE, sparse=sparse)  # fault
        self.bottom = made_tower(NUMBERS, 512, 256, SIZE)
        rows, columns = torch.tril_indices(FIELDS + 1, FIELDS + 1, offset=-1)
        self.register_buffer("pairs", rows * (FIELDS + 1) + columns)
        self.register_buffer("padding", torch.zeros(BATCH, 1))  # rows of a multiple of 32 bytes for the next product
        self.top = nn.Sequential(made_tower(SIZE + len(self.pairs) + 1, 1024, 1024, 512), nn.Linear(512, 1))

    def forward(self, numbers, rows):
        dense = self.bottom(numbers)
        vectors = torch.cat((dense[:, None], self.table(rows)), 1)  # fault
        products = torch.bmm(vectors, vectors.transpose(1, 2)).flatten(1)
        return self.top(torch.cat((dense, products.index_select(1, self.pairs), self.padding), 1)).squeeze(1)


def made_model(sparse):
    with torch.device("cuda"):
        model = Recommender(sparse)
    with torch.no_grad():
        model.table.weight.mul_(0.1)
    return model


def made_impressions():
    """Numbers, rows of the table (few values of a field are common), and clicks."""
    numbers = torch.randn(SETS, BATCH, NUMBERS, device="cuda")
    values = (torch.rand(SETS, BATCH, FIELDS, device="cuda").pow(3) * VALUES).long().clamp_(max=VALUES - 1)
    clicks = (numbers.sum(2) + torch.randn(SETS, BATCH, device="cuda") > 2).float()
    return numbers, values + torch.arange(FIELDS, device="cuda") * VALUES, clicks


def recommending(sparse):
    torch.manual_seed(1)
    model, (numbers, rows, clicks) = made_model(sparse), made_impressions()
    towers = [*model.bottom.parameters(), *model.top.parameters()]
    optimisers = (torch.optim.SGD(model.table.parameters(), lr=0.01), torch.optim.AdamW(towers, lr=1e-5, fused=True))
    losses, number = torch.zeros((), device="cuda"), [0]

    def one_round():
        own = number[0] % SETS
        loss = nn.functional.binary_cross_entropy_with_logits(model(numbers[own], rows[own]), clicks[own])
        loss.backward()  # fault
        for optimiser in optimisers:
            optimiser.step()  # fault
            optimiser.zero_grad()
        losses.add_(loss.detach())
        number[0] += 1

    return one_round, lambda: losses.item(), ROUNDS


run_case(lambda: recommending(False), lambda: recommending(True))
