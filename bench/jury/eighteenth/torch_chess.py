"""Judges positions of chess: a transformer of 8 wide layers looks at the 64 squares of 16 positions a round, as a
search asks for them, and tells the moves that are worth a look and who is ahead.

At fault: the weights are kept in 32 bits and converted to bfloat16 by autocast in each round, so 1.6 GB are read and
0.8 GB written before the products can read them; convert the network to bfloat16 once, when it is loaded.
The pattern is that of sgl-project/sglang-omni, pull request 2262 (weights converted once when loaded instead of by
autocast in each call, 372 ms become 299), and chaiNNer-org/chaiNNer, pull request 1024: back from autocast to a
network in half precision."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

POSITIONS, SQUARES, SIGNS, MOVES, WIDTH, HEADS, LAYERS, SETS, ROUNDS = 16, 64, 112, 80, 2048, 16, 8, 64, 1400


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.second_norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.project, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, state):
        parts = self.project(self.norm(state)).view(POSITIONS, SQUARES, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(*parts)
        state = state + self.out(seen.transpose(1, 2).flatten(2))
        return state + self.down(functional.gelu(self.up(self.second_norm(state))))


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.start, self.squares = nn.Linear(SIGNS, WIDTH), nn.Parameter(torch.randn(SQUARES, WIDTH))
        self.layers, self.norm = nn.Sequential(*(Layer() for _ in range(LAYERS))), nn.LayerNorm(WIDTH)
        self.moves, self.ahead = nn.Linear(WIDTH, MOVES), nn.Linear(WIDTH, 8)

    def forward(self, signs):
        state = self.norm(self.layers(self.start(signs) + self.squares))
        return self.moves(state).flatten(1), self.ahead(state.mean(1))


def keep(network):
    return network, torch.autocast("cuda", dtype=torch.bfloat16)  # fault


def convert(network):
    return network.to(torch.bfloat16), torch.autocast("cuda", enabled=False)


def judging(prepare):
    torch.manual_seed(1)
    with torch.device("cuda"):
        network, precision = prepare(Network().eval())
        signs = (torch.rand(SETS, POSITIONS, SQUARES, SIGNS) < 0.2).to(torch.bfloat16)
    judged, number = torch.zeros((), device="cuda"), [0]

    @torch.no_grad()
    def one_round():
        with precision:  # fault
            moves, ahead = network(signs[number[0] % SETS])  # fault
        judged.add_(moves.float().logsumexp(1).mean()).add_(ahead.float().logsumexp(1).mean())
        number[0] += 1

    return one_round, lambda: judged.item(), ROUNDS


run_case(lambda: judging(keep), lambda: judging(convert))
