"""Measures how ski jumpers hold themselves: each round, a network in bfloat16 looks at 32 frames of 256 x 256 points
and draws a map of each of 16 joints. The brightest point of a map is where its joint is, to within two points. A
second, smaller network looks at the frame around each joint and says where exactly. Means over the frames are kept."""
import numpy as np
import torch
from torch import nn
from torch.nn import functional

from case import run_case

FRAMES, COLOURS, POINTS, JOINTS, SETS, LIGHTS, ROUNDS = 32, 3, 256, 16, 6, 11, 230
STEM, WIDTH, BLOCKS, CELLS, PATCH, SPREAD = 64, 128, 5, POINTS // 2, 32, 5


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(WIDTH, WIDTH, 3, padding=1)
        self.second = nn.Conv2d(WIDTH, WIDTH, 3, padding=1)

    def forward(self, state):
        return functional.relu_(self.second(functional.relu_(self.first(state))).add_(state))


class Finder(nn.Module):
    """A map of each joint, smoothed a little; norms were folded into the convolutions."""
    def __init__(self):
        super().__init__()
        self.stem, self.widen = nn.Conv2d(COLOURS, STEM, 3, stride=2, padding=1), nn.Conv2d(STEM, WIDTH, 3, padding=1)
        self.blocks, self.head = nn.Sequential(*(Block() for _ in range(BLOCKS))), nn.Conv2d(WIDTH, JOINTS, 1)

    def forward(self, frames):
        state = functional.relu_(self.widen(functional.relu_(self.stem(frames))))
        maps = self.head(self.blocks(state)).to(torch.float32, memory_format=torch.contiguous_format)
        return functional.avg_pool2d(maps, SPREAD, 1, SPREAD // 2)


class Refiner(nn.Module):
    """How far a joint is from the middle of a patch, in points."""
    def __init__(self):
        super().__init__()
        sizes = (COLOURS, STEM, WIDTH, WIDTH)
        self.layers = nn.ModuleList(nn.Conv2d(*pair, 3, stride=2, padding=1) for pair in zip(sizes, sizes[1:]))
        self.head = nn.Linear(WIDTH * (PATCH // 8) ** 2, 2)

    def forward(self, patches):
        for layer in self.layers:
            patches = functional.relu_(layer(patches))
        return 2 * self.head(patches.flatten(1)).float().tanh()


def peaks_by_numpy(maps):
    """Where each map is brightest, and how bright it is there."""
    flat = maps.flatten(2).cpu().numpy()  # fault
    places = flat.argmax(2)  # fault
    best = np.take_along_axis(flat, places[..., None], 2)[..., 0]  # fault
    return torch.from_numpy(places).to(maps.device), torch.from_numpy(best).to(maps.device)  # fault


def peaks_by_torch(maps):
    best, places = maps.flatten(2).max(2)
    return places, best


def prepared(network):
    for part in network.modules():
        if isinstance(part, nn.Conv2d):
            nn.init.kaiming_normal_(part.weight, nonlinearity="relu")
            nn.init.uniform_(part.bias, -0.1, 0.1)
        if isinstance(part, Block):
            part.second.weight.data.mul_(0.4)
    network = network.eval().requires_grad_(False).to(torch.bfloat16)
    return network.to(memory_format=torch.channels_last)


class Hill:
    def __init__(self, peaks):
        self.peaks, self.number = peaks, 0
        with torch.device("cuda"):
            self.finder, self.refiner = prepared(Finder()), prepared(Refiner())
            self.films = torch.empty(SETS, FRAMES, COLOURS, POINTS, POINTS, dtype=torch.uint8)
            self.around, self.frame = torch.arange(PATCH), torch.arange(FRAMES)[:, None, None, None]
            self.poses, self.sure = torch.zeros(JOINTS, 2), torch.zeros(JOINTS)
            for frames in self.films:
                coarse = torch.rand(FRAMES, COLOURS, POINTS // 8, POINTS // 8)
                fine = functional.interpolate(coarse, scale_factor=8.0, mode="bilinear")
                frames.copy_((fine + 0.1 * torch.rand_like(fine)) * 230)

    def patches(self, frames, rows, columns):
        """What lies around each joint; beyond the edge, frames are black."""
        wide = functional.pad(frames, (PATCH // 2,) * 4).permute(0, 2, 3, 1)
        down, across = rows[..., None] + self.around, columns[..., None] + self.around
        patches = wide[self.frame, down[..., None], across[:, :, None]]
        return patches.flatten(0, 1).permute(0, 3, 1, 2)

    @torch.inference_mode()
    def watch(self):
        light = 0.7 + 0.05 * (self.number % LIGHTS)
        frames = self.films[self.number % SETS].to(torch.bfloat16, memory_format=torch.channels_last)
        frames.mul_(light / 64).sub_(2)
        places, best = self.peaks(self.finder(frames))  # fault
        rows, columns = places.div(CELLS, rounding_mode="floor") * 2, places % CELLS * 2
        aside = self.refiner(self.patches(frames, rows, columns)).view(FRAMES, JOINTS, 2)
        self.poses.add_((torch.stack((columns, rows), 2) + aside).mean(0) / POINTS)
        self.sure.add_(best.tanh().mean(0))
        self.number += 1

    def total(self):
        return (self.poses.sum() + self.sure.sum()).item() / JOINTS


def jumping(peaks):
    torch.manual_seed(1)
    hill = Hill(peaks)
    return hill.watch, hill.total, ROUNDS


run_case(lambda: jumping(peaks_by_numpy), lambda: jumping(peaks_by_torch))
