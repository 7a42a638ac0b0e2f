"""Looks for roofs that could carry solar panels: each round, eight aerial photographs of 512 x 512 points go through a
U-Net in bfloat16, which says for each point how likely it is a roof and of which of seven kinds. The norms of training
were folded into the convolutions beforehand. The area of the roofs is kept for each photograph, and for each kind."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

PHOTOS, COLOURS, POINTS, SETS, WIDTHS, KINDS, ROUNDS = 8, 3, 512, 6, (64, 128, 256), 7, 270
AREA_OF_POINT, CONTRASTS = 0.04, 13


class Pair(nn.Module):
    """Two convolutions, each with its rectifier."""
    def __init__(self, inputs, outputs):
        super().__init__()
        self.first = nn.Conv2d(inputs, outputs, 3, padding=1)
        self.second = nn.Conv2d(outputs, outputs, 3, padding=1)

    def forward(self, state):
        state = functional.relu_(self.first(state))  # fault
        return functional.relu_(self.second(state))  # fault


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.ModuleList(Pair(*pair) for pair in zip((COLOURS, *WIDTHS[:-1]), WIDTHS))
        self.up = nn.ModuleList(Pair(WIDTHS[level] + WIDTHS[level + 1], WIDTHS[level])
                                for level in reversed(range(len(WIDTHS) - 1)))
        self.head = nn.Conv2d(WIDTHS[0], 1 + KINDS, 1)
        for part in self.modules():
            if isinstance(part, nn.Conv2d):
                nn.init.kaiming_normal_(part.weight, nonlinearity="relu")
                nn.init.uniform_(part.bias, -0.1, 0.1)

    def forward(self, photos):
        state, skipped = photos, []
        for level, pair in enumerate(self.down):
            state = pair(functional.max_pool2d(state, 2) if level else state)  # fault
            skipped.append(state)
        for pair, skip in zip(self.up, reversed(skipped[:-1])):
            state = torch.cat((functional.interpolate(state, scale_factor=2.0), skip), 1)
            state = pair(state)  # fault
        return self.head(state)  # fault


class Survey:
    def __init__(self, layout):
        with torch.device("cuda"):
            network = UNet().eval().requires_grad_(False).to(torch.bfloat16)
            self.photos = torch.randint(256, (SETS, PHOTOS, COLOURS, POINTS, POINTS), dtype=torch.uint8)
            self.roofs, self.kinds = torch.zeros(PHOTOS), torch.zeros(KINDS)
            self.weights = torch.arange(1.0, KINDS + 1)
        self.network = network.to(memory_format=layout)  # fault
        self.layout, self.number = layout, 0
        self.blur()

    def blur(self):
        """Neighbouring points of a photograph are alike."""
        for photos in self.photos:
            coarse = functional.avg_pool2d(photos.float(), 8)
            fine = functional.interpolate(coarse, scale_factor=8.0, mode="bilinear")
            photos.copy_(fine.sub_(96).mul_(4).clamp_(0, 255))

    @torch.inference_mode()
    def look(self):
        contrast = 1 + 0.05 * (self.number % CONTRASTS)
        photos = self.photos[self.number % SETS].to(torch.bfloat16, memory_format=self.layout)
        found = self.network(photos.mul_(contrast / 127.5).sub_(contrast)).float()  # fault
        roof, kinds = found.mul_(0.1).sigmoid_().split((1, KINDS), 1)
        self.roofs.add_(roof.sum((1, 2, 3)), alpha=AREA_OF_POINT)
        self.kinds.add_((kinds * roof).mean((0, 2, 3)))
        self.number += 1

    def total(self):
        return (self.roofs.mean() * 1e-4 + self.kinds @ self.weights).item()


def survey(layout):
    torch.manual_seed(1)
    own = Survey(layout)
    return own.look, own.total, ROUNDS


run_case(lambda: survey(torch.contiguous_format), lambda: survey(torch.channels_last))
