"""Tells which coins of a hoard were struck by dies that are known: each round a transformer of 6 layers in bfloat16
makes vectors of 32 coins, and each is looked up among the vectors of a million coins of catalogues.

At fault: the vectors of a round are looked up one by one, so all 537 MB of the catalogues are read 32 times; multiply
them by all vectors at once, and they are read once.
The pattern is that of YuanGongND/cav-mae, issue 15 (likenesses found one by one are very slow, all at once much
faster), and BlueBrain/Search, pull request 125: two vectors that are looked up are multiplied at once."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

COINS, PLACES, POINTS, WIDTH, HEADS, LAYERS, SIZE = 32, 256, 256, 768, 12, 6, 256
KNOWN, SETS, ROUNDS = 1 << 20, 8, 240


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.second_norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.project, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, state):
        parts = self.project(self.norm(state)).view(COINS, PLACES, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(*parts)
        state = state + self.out(seen.transpose(1, 2).reshape(COINS, PLACES, WIDTH))
        return state + self.down(functional.gelu(self.up(self.second_norm(state))))


class Describer(nn.Module):
    """Vectors of length one; coins that were struck by the same die have like ones."""
    def __init__(self):
        super().__init__()
        self.start, self.places = nn.Linear(POINTS, WIDTH), nn.Parameter(torch.randn(PLACES, WIDTH))
        self.layers = nn.Sequential(*(Layer() for _ in range(LAYERS)))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, SIZE)

    def forward(self, coins):
        state = self.layers(self.start(coins) + self.places)
        return functional.normalize(self.head(self.norm(state).mean(1)), dim=1)


class Catalogue(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("vectors", functional.normalize(torch.randn(KNOWN, SIZE), dim=1))

    def look_up(self, vectors):
        """How much the most similar known coin is alike, and its number, for each vector."""
        raise NotImplementedError


class CatalogueOfOne(Catalogue):
    def look_up(self, vectors):
        found = [(self.vectors @ vector).max(0) for vector in vectors]  # fault
        return torch.stack([alike for alike, _ in found]), torch.stack([number for _, number in found])


class CatalogueOfMany(Catalogue):
    def look_up(self, vectors):
        return (vectors @ self.vectors.t()).max(1)


class Expert(nn.Module):
    def __init__(self, catalogue):
        super().__init__()
        self.describer, self.catalogue = Describer(), catalogue()

    def forward(self, coins):
        return self.catalogue.look_up(self.describer(coins))


def judging(catalogue):
    torch.manual_seed(1)
    with torch.device("cuda"):
        expert = Expert(catalogue).to(torch.bfloat16).eval()
        coins = torch.randn(SETS, COINS, PLACES, POINTS).to(torch.bfloat16)
        struck, alike, number = torch.zeros(KNOWN, dtype=torch.int32), torch.zeros(()), [0]
        one = torch.ones(COINS, dtype=torch.int32)

    @torch.inference_mode()
    def one_round():
        likeness, dies = expert(coins[number[0] % SETS])
        alike.add_(likeness.mean(dtype=torch.float32))
        struck.index_add_(0, dies, one)
        number[0] += 1

    return one_round, lambda: alike.item(), ROUNDS


run_case(lambda: judging(CatalogueOfOne), lambda: judging(CatalogueOfMany))
