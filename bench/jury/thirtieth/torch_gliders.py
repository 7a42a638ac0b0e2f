"""Learns to draw the tracks of gliders: each round is a step of a transformer on 48 tracks of 256 moments, which is
taught to lead from noise to tracks along straight lines (flow matching). Network and loss are one compiled function in
mixed precision, and a slow mean of the weights is kept, as drawing by it looks better."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

TRACKS, MOMENTS, KINDS, BATCH, ROUNDS = 8192, 256, 4, 48, 220
WIDTH, HEADS, LAYERS, CLOCKS, RATE, DECAY, SLOW, RISE, CHUNK = 768, 12, 6, 64, 3e-4, 1e-2, 0.99, 20, 1024
SIZE = WIDTH // HEADS


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.second_norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.project, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.down.weight)

    def forward(self, state):
        parts = self.project(self.norm(state)).view(BATCH, MOMENTS, 3, HEADS, SIZE)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(query, key, value)
        state = state + self.out(seen.transpose(1, 2).flatten(2))
        return state + self.down(functional.gelu(self.up(self.second_norm(state)), approximate="tanh"))


class Drawer(nn.Module):
    """Where noisy tracks should go, given how far they have come."""
    def __init__(self):
        super().__init__()
        self.embed, self.clock = nn.Linear(KINDS, WIDTH), nn.Linear(2 * CLOCKS, WIDTH)
        self.places = nn.Parameter(0.1 * torch.randn(MOMENTS, WIDTH))
        self.layers = nn.Sequential(*(Layer() for _ in range(LAYERS)))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, KINDS)
        self.register_buffer("turns", torch.exp(torch.linspace(-2, 5, CLOCKS)))

    def forward(self, tracks, far):
        angles = far[:, None] * self.turns
        clock = self.clock(torch.cat((angles.sin(), angles.cos()), 1))
        state = self.embed(tracks) + clock[:, None] + self.places.to(clock.dtype)
        return self.head(self.norm(self.layers(state)))


def error(drawer, tracks, noise, far):
    between = torch.lerp(noise, tracks, far[:, None, None])
    with torch.autocast("cuda", dtype=torch.bfloat16):
        way = drawer(between, far)
    return (way.float() - (tracks - noise)).square().mean()


def flown_tracks(device):
    """Gliders circle in rising air and then fly straight on: east, north, height and how fast they rise."""
    tracks = torch.empty(TRACKS, MOMENTS, KINDS, device=device)
    times = torch.arange(MOMENTS, device=device) / MOMENTS
    for own in tracks.split(CHUNK):
        turn, start, rate, lift = torch.rand(4, len(own), 1, device=device)
        circling = torch.sigmoid(12 * torch.sin(6.28 * ((1 + 3 * rate) * times + start)))
        heading = 6.28 * turn + (0.1 + 0.2 * lift) * circling.cumsum(1)
        rising = (1 + 2 * lift) * circling - 1
        rising = rising + 0.3 * torch.sin(20 * times + 6.28 * start)
        parts = [torch.cos(heading).cumsum(1) / 16, torch.sin(heading).cumsum(1) / 16, rising.cumsum(1) / 32, rising]
        own.copy_(torch.stack(parts, 2))
    return (tracks - tracks.mean((0, 1))) / tracks.std((0, 1))


def rate_of(number):
    return min(1.0, (number + 1) / RISE) * (ROUNDS + 40) / (ROUNDS + 40 + number)


class Trainer:
    def __init__(self, device="cuda"):
        self.device = device
        self.tracks = flown_tracks(device)
        self.drawer, self.losses = Drawer().to(device), torch.zeros((), device=device)
        self.parameters = list(self.drawer.parameters())
        self.means = [parameter.detach().clone() for parameter in self.parameters]
        self.optimiser = torch.optim.AdamW(self.parameters, lr=RATE, weight_decay=DECAY, betas=(0.9, 0.99), fused=True)
        self.schedule = torch.optim.lr_scheduler.LambdaLR(self.optimiser, rate_of)
        self.error = torch.compile(error, dynamic=False)

    def learn(self):
        tracks = self.tracks[torch.randint(TRACKS, (BATCH,), device=self.device)]
        noise, far = torch.randn_like(tracks), torch.rand(BATCH, device=self.device)
        loss = self.error(self.drawer, tracks, noise, far)
        loss.backward()
        self.optimiser.step()
        self.optimiser.zero_grad()
        self.schedule.step()
        self.keep(loss.detach())

    @torch.no_grad()
    def keep(self, loss):
        torch._foreach_lerp_(self.means, self.parameters, 1 - SLOW)
        self.losses.add_(loss)

    def total(self):
        apart = sum((mean - own.detach()).abs().mean() for mean, own in zip(self.means, self.parameters))
        return (self.losses / ROUNDS + apart / len(self.means)).item()


def soaring():
    torch.manual_seed(1)
    torch.set_float32_matmul_precision("high")
    trainer = Trainer()
    trainer.learn()  # compiles
    return trainer.learn, trainer.total, ROUNDS


run_case(None, soaring)
