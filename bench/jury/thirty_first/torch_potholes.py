"""Learns to find potholes: each round is a step of a small U-Net on 32 frames of a camera behind the windscreen. The
frames of a day, more than a video card should hold, lie in the memory of the host as bytes, with marks where the road
is broken. Network and loss are one compiled function in mixed precision, channels lie side by side."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

BATCHES, BATCH, HIGH, WIDE, COLOURS, STEP, HOLES, ROUNDS = 12, 32, 384, 640, 3, 4, 5, 310
WIDTHS, RATE, DECAY, RISE, RARE = (64, 128, 256), 1e-3, 1e-2, 30, 4.0


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first, self.second = (nn.Conv2d(width, width, 3, padding=1, bias=False) for _ in range(2))
        self.norm, self.second_norm = nn.BatchNorm2d(width), nn.BatchNorm2d(width)
        nn.init.constant_(self.second_norm.weight, 0.3)

    def forward(self, state):
        new = functional.relu(self.norm(self.first(state)))
        return functional.relu(state + self.second_norm(self.second(new)))


class Finder(nn.Module):
    """Coarser twice, and finer again beside what was seen on the way."""
    def __init__(self):
        super().__init__()
        fine, middle, coarse = WIDTHS
        self.stem = nn.Conv2d(COLOURS, fine, STEP, stride=STEP)
        self.blocks = nn.ModuleList(Block(width) for width in (fine, middle, coarse, middle, fine))
        self.downs = nn.ModuleList(nn.Conv2d(*pair, 2, stride=2) for pair in ((fine, middle), (middle, coarse)))
        self.ups = nn.ModuleList(nn.ConvTranspose2d(*pair, 2, stride=2) for pair in ((coarse, middle), (middle, fine)))
        self.head = nn.Conv2d(fine, 1, 1)
        nn.init.constant_(self.head.bias, -2.0)

    def forward(self, frames):
        fine = self.blocks[0](self.stem(frames))
        middle = self.blocks[1](self.downs[0](fine))
        coarse = self.blocks[2](self.downs[1](middle))
        middle = self.blocks[3](self.ups[0](coarse) + middle)
        return self.head(self.blocks[4](self.ups[1](middle) + fine))[:, 0].float()


def error(finder, frames, marks):
    """Cross entropy, and how little of the marked places is found."""
    frames = (frames.permute(0, 3, 1, 2).float() - 110) / 50
    with torch.autocast("cuda", dtype=torch.bfloat16):
        scores = finder(frames)
    marks = marks.float()
    missed = functional.binary_cross_entropy_with_logits(scores, marks, 1 + (RARE - 1) * marks)
    found = scores.sigmoid()
    overlap = (2 * (found * marks).sum() + 1) / (found.sum() + marks.sum() + 1)
    return missed + 0.5 * (1 - overlap)


def filmed(device):
    """A batch: grey roads with grain; holes are darker and rougher, and seen flat."""
    rows, columns = torch.arange(HIGH, device=device)[:, None], torch.arange(WIDE, device=device)
    coarse = torch.randn(BATCH, COLOURS, HIGH // 32, WIDE // 32, device=device)
    road = functional.interpolate(coarse, size=(HIGH, WIDE), mode="bilinear").permute(0, 2, 3, 1)
    depth = torch.zeros(BATCH, HIGH, WIDE, device=device)
    for down, across, size in torch.rand(HOLES, 3, BATCH, 1, 1, device=device):
        far = ((rows - HIGH * down) * 2.5).square() + (columns - WIDE * across).square()
        depth = torch.maximum(depth, (2 - far / (15 + 35 * size).square()).clamp(0, 1))
    grain = torch.randn(BATCH, HIGH, WIDE, COLOURS, device=device) * (15 + 15 * depth[..., None])
    frames = (120 + 20 * road - 35 * depth[..., None] + grain).clamp(0, 255).to(torch.uint8)
    return frames, (depth[:, STEP // 2::STEP, STEP // 2::STEP] > 0.5).to(torch.uint8)


class Day:
    """Batches of a day, one after the other and again."""
    def __init__(self, pinned, device="cuda"):
        self.device, self.number = device, 0
        kind = {"dtype": torch.uint8, "pin_memory": pinned}  # fault
        self.frames = torch.empty(BATCHES, BATCH, HIGH, WIDE, COLOURS, **kind)  # fault
        self.marks = torch.empty(BATCHES, BATCH, HIGH // STEP, WIDE // STEP, **kind)  # fault
        for frames, marks in zip(self.frames, self.marks):
            for place, made in zip((frames, marks), filmed(device)):
                place.copy_(made)

    def next(self):
        place = self.number % BATCHES
        self.number += 1
        frames = self.frames[place].to(self.device, non_blocking=True)  # fault
        return frames, self.marks[place].to(self.device, non_blocking=True)  # fault


class Trainer:
    def __init__(self, day, device="cuda"):
        self.day, self.finder = day, Finder().to(device, memory_format=torch.channels_last)
        self.losses = torch.zeros((), device=device)
        self.optimiser = torch.optim.AdamW(self.finder.parameters(), lr=RATE, weight_decay=DECAY, fused=True)
        rise = torch.optim.lr_scheduler.LinearLR(self.optimiser, 0.1, total_iters=RISE)
        fall = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimiser, 2 * ROUNDS)
        self.schedule = torch.optim.lr_scheduler.SequentialLR(self.optimiser, [rise, fall], [RISE])
        self.error = torch.compile(error, dynamic=False)

    def learn(self):
        frames, marks = self.day.next()  # fault
        loss = self.error(self.finder, frames, marks)
        loss.backward()
        self.optimiser.step()
        self.optimiser.zero_grad()
        self.schedule.step()
        self.losses.add_(loss.detach())


def driving(pinned):
    torch.manual_seed(1)
    torch.backends.cudnn.deterministic = True
    trainer = Trainer(Day(pinned))  # fault
    trainer.learn()  # compiles
    trainer.losses.zero_()
    return trainer.learn, lambda: trainer.losses.item() / ROUNDS, ROUNDS


run_case(lambda: driving(False), lambda: driving(True))  # fault
