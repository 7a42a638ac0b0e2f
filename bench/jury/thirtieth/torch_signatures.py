"""Checks signatures that people write on tablets: each round, 64 signatures of 200 points go through a recurrent layer,
which follows the pen, and a compiled transformer in bfloat16, which sees the whole. The vector of a signature is
compared with those of 4096 customers. How near the nearest one is, and how many are accepted, is kept."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

SHEETS, POINTS, MARKS, SETS, CUSTOMERS, ROUNDS = 64, 200, 6, 7, 4096, 430
PEN, WIDTH, HEADS, LAYERS, VECTOR, ENOUGH = 512, 768, 12, 6, 256, 0.22


class PenByPoints(nn.Module):
    """The state of the pen after each point."""
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(MARKS, PEN)

    def forward(self, points):
        state, seen = None, []
        for point in points.unbind(1):  # fault
            state = self.cell(point, state)  # fault
            seen.append(state[0])
        return torch.stack(seen, 1)


class Pen(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.LSTM(MARKS, PEN, batch_first=True)

    def forward(self, points):
        return self.layer(points)[0]


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.second_norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.project, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, state):
        parts = self.project(self.norm(state)).view(SHEETS, POINTS, 3, HEADS, WIDTH // HEADS)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(query, key, value)
        state = state + self.out(seen.transpose(1, 2).flatten(2))
        return state + self.down(functional.gelu(self.up(self.second_norm(state))))


class Whole(nn.Module):
    """From the states of the pen to a vector of length one; points that say more weigh more."""
    def __init__(self):
        super().__init__()
        self.embed, self.layers = nn.Linear(PEN, WIDTH), nn.Sequential(*(Layer() for _ in range(LAYERS)))
        self.norm, self.weigh, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 1), nn.Linear(WIDTH, VECTOR)

    def forward(self, pens):
        state = self.norm(self.layers(self.embed(pens.to(torch.bfloat16))))
        weights = self.weigh(state).float().softmax(1)
        return functional.normalize(self.head((weights * state).sum(1).to(torch.bfloat16)).float(), dim=1)


@torch.no_grad()
def prepared(network, seed):
    """Weights by chance, in the order of the parameters."""
    torch.manual_seed(seed)
    for part in network.modules():
        own = tuple(part.parameters(recurse=False))
        if own and not isinstance(part, nn.LayerNorm):
            for weights in own:
                nn.init.uniform_(weights, -1, 1).mul_(1.7 * weights.shape[-1] ** -0.5 if weights.dim() > 1 else 0.05)
    return network.eval().requires_grad_(False)


def written():
    """Where the pen is, how fast it moves, how hard it presses, and the time."""
    times = torch.linspace(0, 1, POINTS, device="cuda")[:, None]
    speeds = 40 * torch.rand(SETS, SHEETS, 1, 8, device="cuda")
    phases = 6.28 * torch.rand(2, SETS, SHEETS, 1, 8, device="cuda")
    across, down = (torch.sin(speeds * times + phase).mean(3) for phase in phases)
    fast = [functional.pad(way.diff(dim=2), (1, 0)) * 20 for way in (across, down)]
    press = torch.cos(9 * times[:, 0] + 3 * across)
    return torch.stack((across + 0.4 * times[:, 0], down, *fast, press, times[:, 0].expand_as(press)), 3)


class Bank:
    def __init__(self, pen):
        with torch.device("cuda"):
            self.pen, self.whole = prepared(pen(), 2), prepared(Whole(), 3).to(torch.bfloat16)
            self.customers = functional.normalize(torch.randn(CUSTOMERS, VECTOR), dim=1)
            self.near, self.accepted = torch.zeros(SHEETS), torch.zeros((), dtype=torch.int64)
        self.signatures, self.number = written(), 0
        self.see = torch.compile(self.whole, dynamic=False)
        self.check()  # compiles
        self.near.zero_()
        self.accepted.zero_()

    @torch.inference_mode()
    def check(self):
        shaking = 1 + 0.04 * (self.number % 11)
        vectors = self.see(self.pen(self.signatures[self.number % SETS] * shaking))  # fault
        best = (vectors @ self.customers.T).amax(1)
        self.near.add_(best)
        self.accepted.add_((best > ENOUGH).sum())
        self.number += 1

    def total(self):
        return (self.near.mean() / ROUNDS + 1e-5 * self.accepted / ROUNDS).item()


def signing(pen):
    torch.manual_seed(1)
    torch.set_float32_matmul_precision("high")
    bank = Bank(pen)
    return bank.check, bank.total, ROUNDS


run_case(lambda: signing(PenByPoints), lambda: signing(Pen))
