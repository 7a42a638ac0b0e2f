"""Finds out which buttons of a haberdasher's catalogue customers bring along: each round, 64 photographs of 224 x 224
points, which lie on the GPU as bytes, go through a vision transformer in bfloat16 that was compiled, from the bytes to
a vector of length one. The five nearest of 65536 buttons are looked up in one product, and their prices are weighed by
how near they are."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

SETS, BATCH, POINTS, COLOURS, PATCH, BUTTONS, NEAREST, LAMPS, ROUNDS = 8, 64, 224, 3, 16, 65536, 5, 13, 380
WIDTH, HEADS, LAYERS, VECTOR, SHARP = 768, 12, 12, 512, 20.0
SIZE, SIDE, SHORT = WIDTH // HEADS, POINTS // PATCH, torch.bfloat16


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.second_norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.project, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, state):
        parts = self.project(self.norm(state)).view(BATCH, SIDE * SIDE, 3, HEADS, SIZE)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(query, key, value)
        state = state + self.out(seen.transpose(1, 2).flatten(2))
        return state + self.down(functional.gelu(self.up(self.second_norm(state)), approximate="tanh"))


class Eye(nn.Module):
    def __init__(self):
        super().__init__()
        self.patch = nn.Linear(PATCH * PATCH * COLOURS, WIDTH)
        self.places = nn.Parameter(0.3 * torch.randn(SIDE * SIDE, WIDTH))
        self.layers = nn.Sequential(*(Layer() for _ in range(LAYERS)))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, VECTOR)

    def forward(self, photographs, lamp):
        """Photographs have channels last; a lamp makes all of them lighter or darker."""
        light = (photographs.float() * lamp - 120) / 60
        patches = light.view(BATCH, SIDE, PATCH, SIDE, PATCH * COLOURS).transpose(2, 3)
        state = self.patch(patches.reshape(BATCH, SIDE * SIDE, -1).to(SHORT)) + self.places
        state = self.norm(self.layers(state)).float().mean(1)
        return functional.normalize(self.head(state.to(SHORT)).float(), dim=1).to(SHORT)


@torch.no_grad()
def prepared(eye):
    for part in eye.modules():
        if isinstance(part, nn.Linear):
            nn.init.normal_(part.weight, std=1.2 * part.in_features ** -0.5)
            nn.init.zeros_(part.bias)
        if isinstance(part, Layer):
            part.out.weight.mul_(0.5)
            part.down.weight.mul_(0.5)
    return eye.eval().requires_grad_(False).to(SHORT)


def photographed(device):
    """Round things with rims and holes, each in a colour of its own, on cloth."""
    photographs = torch.empty(SETS, BATCH, POINTS, POINTS, COLOURS, dtype=torch.uint8, device=device)
    across = torch.linspace(-1, 1, POINTS, device=device)
    away = (across[:, None].square() + across.square()).sqrt()
    for own in photographs:
        wide, holes, cloth = torch.rand(3, BATCH, 1, 1, device=device)
        rim = torch.sigmoid(40 * (0.4 + 0.4 * wide - away))
        hole = torch.sigmoid(60 * (0.08 - ((across.abs()[:, None] - 0.1 - 0.1 * holes).square()
                                           + (across.abs() - 0.15).square()).sqrt()))
        colour = 60 + 150 * torch.rand(BATCH, 1, 1, COLOURS, device=device)
        shade = (rim * (1 - hole) * (0.8 + 0.2 * torch.cos(20 * away)))[..., None]
        light = shade * colour + (1 - shade) * (60 + 100 * cloth[..., None])
        own.copy_((light + 8 * torch.randn_like(light)).clamp(0, 255))
    return photographs


class Shop:
    def __init__(self, device="cuda"):
        with torch.device(device):
            self.eye, self.number = prepared(Eye()), 0
            self.catalogue = functional.normalize(torch.randn(BUTTONS, VECTOR), dim=1).to(SHORT)
            self.prices, self.lamps = 0.5 + 9 * torch.rand(BUTTONS), 0.7 + 0.5 * torch.rand(LAMPS)
            self.near, self.worth = torch.zeros(BATCH), torch.zeros(BATCH)
        self.photographs = photographed(device)
        self.see = torch.compile(self.eye, dynamic=False)
        self.answer()  # compiles
        self.near.zero_()
        self.worth.zero_()

    @torch.inference_mode()
    def answer(self):
        vectors = self.see(self.photographs[self.number % SETS], self.lamps[self.number % LAMPS])
        best, places = (vectors @ self.catalogue.T).topk(NEAREST, dim=1)
        weights = (SHARP * best.float()).softmax(1)
        self.near.add_(best[:, 0])
        self.worth.add_((weights * self.prices[places]).sum(1))
        self.number += 1

    def total(self):
        return ((self.near + 0.1 * self.worth).mean() / ROUNDS).item()


def selling():
    torch.manual_seed(1)
    shop = Shop()
    return shop.answer, shop.total, ROUNDS


run_case(None, selling)
