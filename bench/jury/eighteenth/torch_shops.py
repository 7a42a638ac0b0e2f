"""Tells what 2048 shops will sell of 64 kinds of goods on each of the next 28 days: a recurrent layer in bfloat16
takes what is known of a day and what it told of the day before, so days follow one after the other. Each round starts
from another state of the shops.

Nothing is wrong: kernels of a few microseconds would be launched more slowly than they run, so all 28 days are
recorded once as a CUDA graph, which each round replays on arrays that stay where they are; nothing is copied from or
to the host.
The pattern is that of LibreYOLO/libreyolo, pull request 645 (the network recorded as a CUDA graph, 3 to 9 times as
fast), and vllm-project/vllm-omni, pull request 2520, where a loop over small steps was recorded and took half as
long."""
import torch
from torch import nn

from case import run_case

SHOPS, GOODS, DAYS, WIDTH, SETS, ROUNDS = 2048, 64, 28, 512, 8, 4500


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.head = nn.GRUCell(GOODS, WIDTH), nn.Linear(WIDTH, GOODS)

    def forward(self, state, sold, days, told):
        """Writes what will be sold to `told`."""
        for day, place in zip(days, told):
            state = self.cell(day + sold, state)
            sold = torch.addmm(self.head.bias, state, self.head.weight.t(), out=place)


def recorded(work):
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            work()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        work()
    return graph


class Seller:
    """Keeps all arrays that the graph works on."""
    @torch.no_grad()
    def __init__(self):
        with torch.device("cuda"):
            self.network = Network().to(torch.bfloat16).eval()
            self.days = torch.randn(DAYS, SHOPS, GOODS).to(torch.bfloat16)
            self.states = torch.randn(SETS, SHOPS, WIDTH).to(torch.bfloat16)
            self.state, self.levels = self.states[0].clone(), torch.zeros(())
        self.told, self.before, self.number = torch.empty_like(self.days), torch.zeros_like(self.days[0]), 0
        self.graph = recorded(self.work)
        self.levels.zero_()

    def work(self):
        self.network(self.state, self.before, self.days.unbind(), self.told.unbind())
        self.levels.add_(self.told.square().mean(dtype=torch.float32))

    def one_round(self):
        self.state.copy_(self.states[self.number % SETS])
        self.graph.replay()
        self.number += 1


def selling():
    torch.manual_seed(1)
    seller = Seller()
    return seller.one_round, lambda: seller.levels.item(), ROUNDS


run_case(None, selling)
