"""Learns to tell where stamps come from: each round is a step of a residual network on 768 stamps of 64 x 64 points,
drawn from 32768 that lie on the GPU as bytes. Stamps are moved a little and mirrored by chance while they are drawn.
Drawing, network and loss are one compiled function in mixed precision, channels lie side by side, and the rate of
learning rises before it falls."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

STAMPS, POINTS, COLOURS, LANDS, BATCH, SHIFT, COARSE, ROUNDS = 32768, 64, 3, 64, 768, 6, 8, 230
WIDTHS, RATE, MOMENTUM, DECAY, SOFT, CHUNK = (64, 128, 256), 0.05, 0.9, 5e-4, 0.1, 4096


class Block(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        step = 1 if inputs == outputs else 2
        self.first = nn.Conv2d(inputs, outputs, 3, stride=step, padding=1, bias=False)
        self.second = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.norm, self.second_norm = nn.BatchNorm2d(outputs), nn.BatchNorm2d(outputs)
        self.past = nn.Conv2d(inputs, outputs, 1, stride=step, bias=False) if step > 1 else nn.Identity()
        nn.init.constant_(self.second_norm.weight, 0.3)

    def forward(self, state):
        new = functional.relu(self.norm(self.first(state)))
        return functional.relu(self.second_norm(self.second(new)) + self.past(state))


class Album(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(COLOURS, WIDTHS[0], 4, stride=2, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(WIDTHS[0])
        sizes = (WIDTHS[0], *(width for width in WIDTHS for _ in range(2)))
        self.blocks = nn.Sequential(*(Block(*pair) for pair in zip(sizes, sizes[1:])))
        self.head = nn.Linear(WIDTHS[-1], LANDS)

    def forward(self, stamps):
        state = functional.relu(self.norm(self.stem(stamps)))
        return self.head(self.blocks(state).mean((2, 3))).float()


def drawn_stamps(stamps, drawn, shifts, mirrored):
    """Stamps of a batch by channels last; what is moved in at an edge repeats the edge."""
    places = torch.arange(POINTS, device=stamps.device)
    rows = (places + shifts[:, :1]).clamp(0, POINTS - 1)
    columns = torch.where(mirrored[:, None], POINTS - 1 - places, places)
    columns = (columns + shifts[:, 1:]).clamp(0, POINTS - 1)
    bytes_of = stamps[drawn[:, None, None], rows[:, :, None], columns[:, None, :]]
    return (bytes_of.permute(0, 3, 1, 2).float() - 120) / 64


def error(album, stamps, lands, drawn, shifts, mirrored):
    scores = album(drawn_stamps(stamps, drawn, shifts, mirrored))
    return functional.cross_entropy(scores, lands[drawn], label_smoothing=SOFT)


def made_stamps(device):
    """Each land has a coarse picture of its own; the stamps of a land differ in colour, frame and print."""
    pictures = torch.randn(LANDS, COLOURS, COARSE, COARSE, device=device)
    lands = torch.randint(LANDS, (STAMPS,), device=device)
    stamps = torch.empty(STAMPS, POINTS, POINTS, COLOURS, dtype=torch.uint8, device=device)
    for first in range(0, STAMPS, CHUNK):
        own = lands[first:first + CHUNK]
        coarse = pictures[own] + 0.8 * torch.randn(len(own), COLOURS, COARSE, COARSE, device=device)
        fine = functional.interpolate(coarse, size=(POINTS, POINTS), mode="bilinear")
        fine += 0.8 * torch.randn_like(fine) + torch.randn(len(own), COLOURS, 1, 1, device=device)
        stamps[first:first + CHUNK] = (120 + 40 * fine).clamp(0, 255).permute(0, 2, 3, 1).to(torch.uint8)
    return stamps, lands


class Trainer:
    def __init__(self, device="cuda"):
        self.device = device
        self.stamps, self.lands = made_stamps(device)
        self.album = Album().to(device, memory_format=torch.channels_last)
        self.losses = torch.zeros((), device=device)
        self.optimiser = torch.optim.SGD(self.album.parameters(), lr=RATE, momentum=MOMENTUM, weight_decay=DECAY,
                                         nesterov=True, fused=True)
        self.schedule = torch.optim.lr_scheduler.OneCycleLR(self.optimiser, RATE, total_steps=ROUNDS + 2, pct_start=0.2)
        self.error = torch.compile(error, dynamic=False)

    def learn(self):
        drawn = torch.randint(STAMPS, (BATCH,), device=self.device)
        shifts = torch.randint(-SHIFT, SHIFT + 1, (BATCH, 2), device=self.device)
        mirrored = torch.rand(BATCH, device=self.device) < 0.5
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = self.error(self.album, self.stamps, self.lands, drawn, shifts, mirrored)
        loss.backward()
        self.optimiser.step()
        self.optimiser.zero_grad()
        self.schedule.step()
        self.losses.add_(loss.detach())


def collecting():
    torch.manual_seed(1)
    torch.backends.cudnn.benchmark = True
    trainer = Trainer()
    trainer.learn()  # compiles
    return trainer.learn, lambda: trainer.losses.item() / ROUNDS, ROUNDS


run_case(None, collecting)
