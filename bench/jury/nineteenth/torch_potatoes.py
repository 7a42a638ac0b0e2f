"""Looks for green potatoes on a belt: each round takes 64 pictures of 512 x 512 points in three colours, which lie in
the host's memory as bytes, and a network of convolutions in bfloat16 tells for each of 32 x 32 places whether what lies
there is to be sorted out; the host keeps the highest score of each picture.

Nothing is wrong: pictures are uploaded and scores are downloaded by streams of their own, from and to pinned memory,
while the network works on the round between; the host reads the scores of a round when those of the next two are under
way; bytes become bfloat16 and squares of 4 x 4 points in one pass; weights and states are channels_last.
The pattern is that of nanoporetech/bonito, pull request 86 (results downloaded by a stream of their own, 15 to 25 %
faster), and sgl-project/sglang, pull request 29075: the same for the words of a language model."""
import torch
from torch import nn

from case import run_case

PICTURES, SIDE, COLOURS, SQUARE, SLOTS, SETS, ROUNDS = 64, 512, 3, 4, 3, 6, 700
PLACES, POINTS, WIDTHS = SIDE // SQUARE, SQUARE * SQUARE * COLOURS, (64, 128, 256)


def convolution(before, after, step=1):
    return nn.Sequential(nn.Conv2d(before, after, 3, step, 1), nn.ReLU(inplace=True))


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.start = nn.Linear(POINTS, WIDTHS[0])
        self.layers = nn.Sequential(
            convolution(WIDTHS[0], WIDTHS[0]), convolution(WIDTHS[0], WIDTHS[1], 2), convolution(WIDTHS[1], WIDTHS[1]),
            convolution(WIDTHS[1], WIDTHS[2], 2), convolution(WIDTHS[2], WIDTHS[2]))
        self.head = nn.Linear(WIDTHS[2], 1)

    def forward(self, squares):
        found = self.start(squares).permute(0, 3, 1, 2)  # channels_last
        return self.head(self.layers(found).permute(0, 2, 3, 1)).flatten(1).float()


class Slot:
    """What one round needs on both sides, and how far it is."""
    def __init__(self):
        places = PICTURES, (PLACES // 4) ** 2
        self.bytes = torch.empty(PICTURES, SIDE, SIDE, COLOURS, dtype=torch.uint8, device="cuda")
        self.squares = torch.empty(PICTURES, PLACES, PLACES, POINTS, dtype=torch.bfloat16, device="cuda")
        self.scores = torch.empty(places, device="cuda")
        self.told = torch.empty(places, pin_memory=True)
        self.uploaded, self.scored, self.downloaded = (torch.cuda.Event() for _ in range(3))


class Sorter:
    def __init__(self, network):
        self.network, self.slots = network, [Slot() for _ in range(SLOTS)]
        self.upward, self.downward = torch.cuda.Stream(), torch.cuda.Stream()
        self.highest, self.number = torch.zeros(PICTURES, dtype=torch.float64), 0
        torch.cuda.synchronize()

    def read(self, slot):
        slot.downloaded.synchronize()
        self.highest += slot.told.amax(1)

    def sort(self, pictures):
        slot = self.slots[self.number % SLOTS]
        if self.number >= SLOTS:
            self.read(slot)  # so all of the slot is free
        with torch.cuda.stream(self.upward):
            slot.bytes.copy_(pictures, non_blocking=True)
            slot.uploaded.record()
        torch.cuda.current_stream().wait_event(slot.uploaded)
        self.score(slot)
        slot.scored.record()
        with torch.cuda.stream(self.downward):
            self.downward.wait_event(slot.scored)
            slot.told.copy_(slot.scores, non_blocking=True)
            slot.downloaded.record()
        self.number += 1

    def score(self, slot):
        rows = slot.bytes.view(PICTURES, PLACES, SQUARE, PLACES, SQUARE * COLOURS).transpose(2, 3)
        slot.squares.view(PICTURES, PLACES, PLACES, SQUARE, SQUARE * COLOURS).copy_(rows)
        slot.scores.copy_(self.network(slot.squares))

    def finish(self):
        for number in range(max(self.number - SLOTS, 0), self.number):
            self.read(self.slots[number % SLOTS])
        return self.highest.mean().item()


def sorting():
    torch.manual_seed(1)
    with torch.device("cuda"):
        network = Network().to(dtype=torch.bfloat16, memory_format=torch.channels_last).eval()
        network.start.weight.data.mul_(1 / 128)  # points are bytes
    sorter = Sorter(network)
    pictures = torch.empty(SETS, PICTURES, SIDE, SIDE, COLOURS, dtype=torch.uint8, pin_memory=True)
    pictures.copy_(torch.randint(256, pictures.shape, dtype=torch.uint8, device="cuda"))

    @torch.inference_mode()
    def one_round():
        sorter.sort(pictures[sorter.number % SETS])

    return one_round, sorter.finish, ROUNDS


run_case(None, sorting)
