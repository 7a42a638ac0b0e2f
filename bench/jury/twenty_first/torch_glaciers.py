"""Draws the crevasses of a glacier: each round takes 24 tiles of an aerial survey, 256 x 256 points in eight bands, and
a network of the shape of a U in bfloat16 tells for each point how likely it lies in a crevasse, of which the share of
the glacier that cannot be walked on is summed."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

TILES, BANDS, SIDE, WIDTHS, SETS, LIMIT, ROUNDS = 24, 8, 256, (64, 128, 256), 6, 0.5, 380


class Pair(nn.Module):
    """Two convolutions with the norms of training folded into them."""
    def __init__(self, before, after):
        super().__init__()
        self.first, self.second = nn.Conv2d(before, after, 3, padding=1), nn.Conv2d(after, after, 3, padding=1)

    def forward(self, state):
        state = functional.relu_(self.first(state))  # fault
        return functional.relu_(self.second(state))  # fault


class Surveyor(nn.Module):
    def __init__(self):
        super().__init__()
        top, middle, deep = WIDTHS
        self.down_top, self.down_middle, self.bottom = Pair(BANDS, top), Pair(top, middle), Pair(middle, deep)
        self.shrink_top, self.shrink_middle = nn.Conv2d(top, top, 2, stride=2), nn.Conv2d(middle, middle, 2, stride=2)
        self.narrow_middle, self.narrow_top = nn.Conv2d(deep, middle, 1), nn.Conv2d(middle, top, 1)
        self.up_middle, self.up_top = Pair(2 * middle, middle), Pair(2 * top, top)
        self.head = nn.Conv2d(top, BANDS, 1)

    def forward(self, tiles):
        top = self.down_top(tiles)  # fault
        middle = self.down_middle(self.shrink_top(top))  # fault
        deep = self.bottom(self.shrink_middle(middle))  # fault
        above = functional.interpolate(self.narrow_middle(deep), scale_factor=2.0)  # fault
        middle = self.up_middle(torch.cat((middle, above), 1))  # fault
        above = functional.interpolate(self.narrow_top(middle), scale_factor=2.0)  # fault
        return self.head(self.up_top(torch.cat((top, above), 1)))  # fault


class Survey:
    """The tiles of a flight, as the camera writes them: all bands of a point lie together."""
    def __init__(self):
        self.points = torch.randint(256, (SETS, TILES, SIDE, SIDE, BANDS), dtype=torch.uint8, device="cuda")
        self.number = 0

    def next(self, layout):
        own = self.points[self.number % SETS].permute(0, 3, 1, 2)
        self.number += 1
        return own.to(torch.bfloat16, memory_format=layout).sub_(127.5).mul_(1 / 64)  # fault


class Mapper:
    def __init__(self, layout):
        self.layout, self.survey = layout, Survey()
        self.surveyor = Surveyor().to("cuda", torch.bfloat16).to(memory_format=layout).eval()
        self.likely = torch.zeros((), device="cuda")

    @torch.inference_mode()
    def draw(self):
        told = self.surveyor(self.survey.next(self.layout))  # fault
        self.likely.add_(told.float().amax(1).sub_(LIMIT).sigmoid_().mean())


def flying(layout):
    torch.manual_seed(1)
    mapper = Mapper(layout)
    return mapper.draw, lambda: mapper.likely.item(), ROUNDS


run_case(lambda: flying(torch.contiguous_format), lambda: flying(torch.channels_last))
