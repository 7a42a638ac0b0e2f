"""Learns to find litter on beaches: each round is a step on 192 pictures of 128 x 128 points in two bands of light,
which a drone has taken, in mixed precision. A network without anchors tells for each of 32 x 32 cells what has its
middle there, how large it is and where in the cell. Pictures and what is in them come as a loader collates them, in
pinned memory."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

PICTURES, BANDS, POINTS, PATCH, KINDS, LARGEST, SETS, ROUNDS = 192, 2, 128, 4, 20, 9, 4, 350
WIDTH, BLOCKS, RATE, DECAY, FOUND = 128, 3, 1e-4, 1e-2, 20.0
CELLS = POINTS // PATCH


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(WIDTH, WIDTH, 3, padding=1, bias=False)
        self.second = nn.Conv2d(WIDTH, WIDTH, 3, padding=1, bias=False)
        self.norm, self.second_norm = nn.BatchNorm2d(WIDTH), nn.BatchNorm2d(WIDTH)

    def forward(self, state):
        inner = functional.relu_(self.norm(self.first(state)))
        return functional.relu_(self.second_norm(self.second(inner)) + state)


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.start = nn.Conv2d(BANDS, WIDTH, PATCH, stride=PATCH)
        self.blocks = nn.Sequential(*(Block() for _ in range(BLOCKS)))
        self.head = nn.Conv2d(WIDTH, KINDS + 4, 1)

    def forward(self, pictures):
        """Scores of kinds for each cell, and for each cell the width, the height and where in it the middle is."""
        told = self.head(self.blocks(self.start(pictures))).float().permute(0, 2, 3, 1)
        return told[..., :KINDS], told[..., KINDS:]


def made_target(number):
    """What is in a picture, as those who label pictures have marked it."""
    things = int(torch.randint(1, LARGEST + 1, ()))
    sizes = 8 + 40 * torch.rand(things, 2)
    middles = sizes / 2 + (POINTS - sizes) * torch.rand(things, 2)
    return {"boxes": torch.cat((middles, sizes), 1), "kinds": torch.randint(KINDS, (things,)),
            "seen": 0.3 + 0.7 * torch.rand(things), "crowd": (torch.rand(things) < 0.1).float(),
            "picture": torch.full((things,), number)}


class Loader:
    """Batches as the workers have left them."""
    def __init__(self):
        self.batches = []
        for _ in range(SETS):
            pictures = torch.randint(256, (PICTURES, POINTS, POINTS, BANDS), dtype=torch.uint8)
            targets = [made_target(number) for number in range(PICTURES)]
            pinned = [{name: part.pin_memory() for name, part in target.items()} for target in targets]
            self.batches.append((pictures.pin_memory(), pinned))

    def __getitem__(self, number):
        return self.batches[number % SETS]


def by_picture(targets):
    targets = [{name: part.to("cuda", non_blocking=True) for name, part in target.items()}  # fault
               for target in targets]  # fault
    return {name: torch.cat([target[name] for target in targets]) for name in targets[0]}


def by_batch(targets):
    batch = {name: torch.cat([target[name] for target in targets]) for name in targets[0]}
    return {name: part.pin_memory().to("cuda", non_blocking=True) for name, part in batch.items()}


def error(scores, places, things):
    """Of kinds in all cells, and of boxes where the middle of a thing is; what is seen well counts more."""
    middles, sizes = things["boxes"].split(2, 1)
    cells = middles / PATCH
    columns, rows = cells.long().unbind(1)
    picture = things["picture"]
    wanted = torch.zeros_like(scores)
    wanted[picture, rows, columns, things["kinds"]] = 1.0
    of_kinds = functional.binary_cross_entropy_with_logits(scores, wanted, weight=1 + FOUND * wanted)
    told = places[picture, rows, columns]
    right = torch.cat((sizes.log() - 3, cells.frac()), 1)
    weights = things["seen"] * (1 - things["crowd"])
    of_places = (functional.smooth_l1_loss(told, right, reduction="none").sum(1) * weights).mean()
    return of_kinds + 0.1 * of_places


class Trainer:
    def __init__(self, move):
        self.loader, self.move, self.number = Loader(), move, 0
        with torch.device("cuda"):
            self.network, self.losses = Detector().to(memory_format=torch.channels_last), torch.zeros(())
        self.optimiser = torch.optim.AdamW(self.network.parameters(), lr=RATE, weight_decay=DECAY, fused=True)
        self.schedule = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimiser, 2 * ROUNDS)

    def learn(self):
        pictures, targets = self.loader[self.number]
        pictures = pictures.to("cuda", non_blocking=True).permute(0, 3, 1, 2)
        things = self.move(targets)  # fault
        with torch.autocast("cuda", dtype=torch.bfloat16):
            scores, places = self.network(pictures.to(torch.bfloat16).mul_(1 / 127.5).sub_(1))
        loss = error(scores, places, things)
        loss.backward()
        self.optimiser.step()
        self.optimiser.zero_grad()
        self.schedule.step()
        self.losses.add_(loss.detach())
        self.number += 1


def flying(move):
    torch.manual_seed(1)
    trainer = Trainer(move)
    return trainer.learn, lambda: trainer.losses.item(), ROUNDS


run_case(lambda: flying(by_picture), lambda: flying(by_batch))
