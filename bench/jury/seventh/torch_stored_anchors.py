"""Boxes of a detector in eight pictures a round: offsets from the anchors of five levels, 196,416 in all.

At fault: the anchors are made on the host and copied to the device in each round, 3 MB of ordinary memory.
The pattern is that of yhenon/pytorch-retinanet as used in LiMeng95/MultiPoseNet.pytorch, issue 6, where making and
copying them takes 200 ms of a step."""
import torch
from torch.nn import functional

from case import run_case

PICTURES, CHANNELS, SIDES, KINDS, ROUNDS = 8, 64, (128, 64, 32, 16, 8), 9, 400


def made_tensors():
    torch.manual_seed(1)
    features = [torch.randn(PICTURES, CHANNELS, side, side, device="cuda").bfloat16() for side in SIDES]
    weights = torch.randn(4 * KINDS, CHANNELS, 3, 3, device="cuda") / 24
    return ([level.to(memory_format=torch.channels_last) for level in features],
            weights.bfloat16().to(memory_format=torch.channels_last))


def made_anchors():
    """On the host: places of the middles, width and height."""
    levels = []
    for side in SIDES:
        step = 1024 / side
        middle = (torch.arange(side) + 0.5) * step
        sizes = torch.tensor([step * scale * shape for scale in (4, 5, 6.3) for shape in (0.7, 1, 1.4)])
        places = torch.stack(torch.meshgrid(middle, middle, indexing="ij"), 2)[:, :, None].expand(side, side, KINDS, 2)
        extents = torch.stack([sizes, sizes.flip(0)], 1).expand(side, side, KINDS, 2)
        levels.append(torch.cat([places, extents], 3).reshape(-1, 4))
    return torch.cat(levels).contiguous()


def boxes_of(features, weights, anchors):
    offsets = [functional.conv2d(level, weights, padding=1).permute(0, 2, 3, 1).reshape(PICTURES, -1, 4) for level in features]
    offsets = torch.cat(offsets, 1)
    middles = anchors[:, :2] + offsets[..., :2] * anchors[:, 2:]
    halves = 0.5 * torch.exp(offsets[..., 2:].clamp(-2, 2)) * anchors[:, 2:]
    return torch.cat([middles - halves, middles + halves], 2)


def total_of(boxes):
    return boxes.double().abs().sum().item()


def anchors_on_the_host():
    features, weights = made_tensors()
    anchors, results = made_anchors(), [None]

    def one_round():
        results[0] = boxes_of(features, weights, anchors.to("cuda"))  # fault

    return one_round, lambda: total_of(results[0]), ROUNDS


def anchors_on_the_device():
    features, weights = made_tensors()
    anchors, results = made_anchors().to("cuda"), [None]

    def one_round():
        results[0] = boxes_of(features, weights, anchors)

    return one_round, lambda: total_of(results[0]), ROUNDS


run_case(anchors_on_the_host, anchors_on_the_device)
