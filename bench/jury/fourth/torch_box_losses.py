"""The loss of overlap between boxes found and boxes wanted, on eight levels of an image pyramid.

At fault: boxes that overlap are picked with masks, and each mask makes the host wait for their number while the GPU idles.
The pattern is that of the losses of boxes in pytorch/vision, pull request 9518, which clamps instead."""
import torch

from case import run_case

BOXES, LEVELS, ROUNDS = 20000, 8, 600


def made_boxes():
    """Left, top, right and bottom of all boxes of each level, each in a row of its own."""
    torch.manual_seed(1)
    levels = []
    for _ in range(LEVELS):
        corner, size = torch.rand(2, 2, BOXES, device="cuda")
        moved = corner + 0.6 * (torch.rand(2, BOXES, device="cuda") - 0.5)
        levels.append((torch.cat([corner, corner + size]), torch.cat([moved, moved + size])))
    return levels


def loss_of(shared, found, wanted):
    own = (found[2] - found[0]) * (found[3] - found[1])
    other = (wanted[2] - wanted[0]) * (wanted[3] - wanted[1])
    return (1 - shared / (own + other - shared + 1e-7)).mean()


def sides(found, wanted):
    return torch.maximum(found[:2], wanted[:2]), torch.minimum(found[2:], wanted[2:])


def picked_by_masks():
    levels, results = made_boxes(), [None]

    def one_round():
        losses = []
        for found, wanted in levels:
            (left, top), (right, bottom) = sides(found, wanted)
            overlap = (right > left) & (bottom > top)
            shared = torch.zeros_like(left)
            shared[overlap] = (right[overlap] - left[overlap]) * (bottom[overlap] - top[overlap])  # fault
            losses.append(loss_of(shared, found, wanted))
        results[0] = torch.stack(losses).sum()

    return one_round, lambda: results[0].item(), ROUNDS


def clamped():
    levels, results = made_boxes(), [None]

    def one_round():
        losses = []
        for found, wanted in levels:
            (left, top), (right, bottom) = sides(found, wanted)
            shared = (right - left).clamp(min=0) * (bottom - top).clamp(min=0)
            losses.append(loss_of(shared, found, wanted))
        results[0] = torch.stack(losses).sum()

    return one_round, lambda: results[0].item(), ROUNDS


run_case(picked_by_masks, clamped)
