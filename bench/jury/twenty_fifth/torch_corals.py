"""Learns what grows on coral reefs: each round is a step of a U-Net on 16 crops of 256 x 256 points with eight bands of
light, which a diver's camera has taken, in mixed precision. Each point is one of 16 kinds of coral, weed or sand. Crops
lie on the GPU as bytes; every second batch is mirrored."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

CROPS, BANDS, POINTS, KINDS, SETS, ROUNDS = 16, 8, 256, 16, 6, 130
WIDTHS, RATE, DECAY = (64, 128, 256), 1e-4, 1e-2


class Block(nn.Module):
    """A convolution, its norm and what is above zero."""
    def __init__(self, inputs, outputs):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(outputs)

    def forward(self, state):
        return functional.relu_(self.norm(self.conv(state)))  # fault


class Stage(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.blocks = nn.Sequential(Block(inputs, outputs), Block(outputs, outputs))

    def forward(self, state):
        return self.blocks(state)  # fault


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.ways_down = nn.ModuleList(Stage(*pair) for pair in zip((BANDS, *WIDTHS), WIDTHS))
        self.ways_up = nn.ModuleList(Stage(width, width) for width in WIDTHS[:-1])
        self.narrow = nn.ModuleList(nn.Conv2d(wide, fine, 1) for fine, wide in zip(WIDTHS, WIDTHS[1:]))
        self.head = nn.Conv2d(WIDTHS[0], KINDS, 1)

    def forward(self, state):
        """Scores of the kinds, for each point."""
        kept = []
        for stage in self.ways_down[:-1]:
            kept.append(stage(state))  # fault
            state = functional.max_pool2d(kept[-1], 2)  # fault
        state = self.ways_down[-1](state)  # fault
        for stage, narrow, fine in zip(reversed(self.ways_up), reversed(self.narrow), reversed(kept)):
            state = functional.interpolate(narrow(state), scale_factor=2.0, mode="nearest")  # fault
            state = stage(fine + state)  # fault
        return self.head(state).permute(0, 2, 3, 1)  # fault


class Reef:
    """Crops and what is at each of their points; each kind reflects bands of its own."""
    def __init__(self):
        colours = torch.rand(KINDS, BANDS, device="cuda") * 160
        self.crops, self.kinds = [], []
        for _ in range(SETS):
            coarse = torch.randint(KINDS, (CROPS, POINTS // 16, POINTS // 16), device="cuda")
            kinds = coarse.repeat_interleave(16, 1).repeat_interleave(16, 2)
            light = colours[kinds] + 95 * torch.rand(CROPS, POINTS, POINTS, BANDS, device="cuda")
            self.crops.append(light.to(torch.uint8).permute(0, 3, 1, 2))
            self.kinds.append(kinds)

    def __getitem__(self, number):
        crops, kinds = self.crops[number % SETS], self.kinds[number % SETS]
        if number % 2:
            crops, kinds = crops.flip(3), kinds.flip(2)
        return crops.to(torch.bfloat16).mul_(1 / 127.5).sub_(1), kinds.flatten()


class Trainer:
    """Gives memory that is not in use back after every `release`-th step; never, where this is zero."""
    def __init__(self, release):
        self.release, self.number, self.reef = release, 0, Reef()
        with torch.device("cuda"):
            self.network = UNet().to(memory_format=torch.channels_last)
            self.losses, self.right = torch.zeros(()), torch.zeros(())
        self.optimiser = torch.optim.AdamW(self.network.parameters(), lr=RATE, weight_decay=DECAY, fused=True)
        self.schedule = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimiser, 2 * ROUNDS)

    def learn(self):
        crops, kinds = self.reef[self.number]  # fault
        with torch.autocast("cuda", dtype=torch.bfloat16):
            scores = self.network(crops).flatten(0, 2)  # fault
        loss = functional.cross_entropy(scores.float(), kinds)  # fault
        loss.backward()  # fault
        self.optimiser.step()
        self.optimiser.zero_grad()
        self.schedule.step()
        self.losses.add_(loss.detach())
        self.right.add_((scores.argmax(1) == kinds).float().mean())  # fault
        self.number += 1
        del scores, loss
        if self.release and self.number % self.release == 0:
            torch.cuda.empty_cache()  # fault


def diving(release):
    torch.manual_seed(1)
    trainer = Trainer(release)
    return trainer.learn, lambda: (trainer.losses + trainer.right).item(), ROUNDS


run_case(lambda: diving(1), lambda: diving(0))
