"""What it costs to match 31,200 boxes that a detector proposes with 176 boxes that are wanted.

At fault: torch.cdist gives a block of 256 threads to each pair of boxes, though a box has four values, so that all but four
lanes idle.
The pattern is that of the matcher in roboflow/rf-detr, pull request 1486, which takes the differences of all pairs and adds
them up, 15 to 29 times as fast."""
import torch

from case import run_case

IMAGES, QUERIES, WANTED, ROUNDS = 8, 3900, 176, 150


def made_boxes():
    """Middles and sizes of the boxes, a row a box."""
    torch.manual_seed(1)
    return torch.rand(IMAGES * QUERIES, 4, device="cuda"), torch.rand(WANTED, 4, device="cuda")


def corners_of(boxes):
    """Left, top, right and bottom, each in a row of its own."""
    return torch.cat([boxes[:, :2] - boxes[:, 2:] / 2, boxes[:, :2] + boxes[:, 2:] / 2], 1).t().contiguous()


def areas_of(corners):
    return (corners[2] - corners[0]) * (corners[3] - corners[1])


def overlaps_of(found, wanted):
    found = found.unsqueeze(2)
    wide = (torch.minimum(found[2], wanted[2]) - torch.maximum(found[0], wanted[0])).clamp(min=0)
    high = (torch.minimum(found[3], wanted[3]) - torch.maximum(found[1], wanted[1])).clamp(min=0)
    shared = wide * high
    return shared / (areas_of(found) + areas_of(wanted) - shared)


def cheapest(distances, overlaps):
    return (5 * distances - 2 * overlaps).view(IMAGES, QUERIES, WANTED).amin(1)


def total_of(costs):
    return costs.double().sum().item()


def a_block_a_pair():
    found, wanted = made_boxes()
    corners, results = (corners_of(found), corners_of(wanted)), [None]

    def one_round():
        distances = torch.cdist(found, wanted, p=1)  # fault
        results[0] = cheapest(distances, overlaps_of(*corners))

    return one_round, lambda: total_of(results[0]), ROUNDS


def differences_added_up():
    found, wanted = made_boxes()
    corners, results = (corners_of(found), corners_of(wanted)), [None]

    def one_round():
        distances = (found.unsqueeze(1) - wanted).abs().sum(2)
        results[0] = cheapest(distances, overlaps_of(*corners))

    return one_round, lambda: total_of(results[0]), ROUNDS


run_case(a_block_a_pair, differences_added_up)
