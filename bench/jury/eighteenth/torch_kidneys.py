"""Learns to outline eight organs in computed tomography: a U-shaped network in mixed precision is trained on 32
pictures of 256 x 256 pixels a round, each with the eight slices around it as channels.

At fault: weights and pictures lie with the channels outermost (the default), so cuDNN converts what nearly every
convolution reads and writes to the layout of the tensor cores and back, forward and backward; put weights and pictures
in the layout channels_last once.
The pattern is that of ultralytics/ultralytics, pull request 25362 (channels_last for training, 1.19 to 1.26 times as
fast), and keras-team/keras, pull request 22324: convolutions of PyTorch that no longer copy their tensors to another
layout."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

BATCH, SLICES, SIDE, ORGANS, WIDTHS, SETS, ROUNDS = 32, 8, 256, 8, (32, 64, 128, 256), 4, 260


def convolution(before, after, stride=1):
    return nn.Sequential(nn.Conv2d(before, after, 3, stride, 1, bias=False), nn.BatchNorm2d(after),
                         nn.ReLU(inplace=True))


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        pairs = list(zip(WIDTHS, WIDTHS[1:]))
        self.start = nn.Sequential(convolution(SLICES, WIDTHS[0]), convolution(WIDTHS[0], WIDTHS[0]))
        self.down = nn.ModuleList(nn.Sequential(convolution(few, many, 2), convolution(many, many))
                                  for few, many in pairs)
        self.narrow = nn.ModuleList(convolution(many, few) for few, many in reversed(pairs))
        self.join = nn.ModuleList(convolution(few, few) for few, _ in reversed(pairs))
        self.last = nn.Conv2d(WIDTHS[0], ORGANS, 1)

    def forward(self, found):
        levels = [self.start(found)]
        for down in self.down:
            levels.append(down(levels[-1]))
        found = levels.pop()
        for narrow, join in zip(self.narrow, self.join):
            wide = functional.interpolate(narrow(found), scale_factor=2, mode="nearest")
            found = join(wide.add_(levels.pop()))
        return self.last(found)


def made_slices(layout):
    """On the GPU: pictures, and for each pixel whether it belongs to each organ."""
    shape = BATCH, SLICES, SIDE, SIDE
    pictures = [torch.randn(shape, device="cuda").to(torch.bfloat16, memory_format=layout) for _ in range(SETS)]
    organs = [(torch.rand(BATCH, ORGANS, SIDE, SIDE, device="cuda") < 0.1).to(torch.float32, memory_format=layout)
              for _ in range(SETS)]
    return pictures, organs


def outlining(layout):
    torch.manual_seed(1)
    network = Network().to("cuda", memory_format=layout)  # fault
    pictures, organs = made_slices(layout)  # fault
    optimiser = torch.optim.AdamW(network.parameters(), lr=1e-6, fused=True)
    losses, number = torch.zeros((), device="cuda"), [0]

    def one_round():
        own = number[0] % SETS
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = functional.binary_cross_entropy_with_logits(network(pictures[own]), organs[own])
        loss.backward()
        optimiser.step()
        optimiser.zero_grad()
        losses.add_(loss.detach())
        number[0] += 1

    return one_round, lambda: losses.item(), ROUNDS


run_case(lambda: outlining(torch.contiguous_format), lambda: outlining(torch.channels_last))
