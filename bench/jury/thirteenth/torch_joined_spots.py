"""Joins the pixels of spots in 16 pictures: each pixel has a number, and in each of 24 steps it takes the largest of those
around it, so that all pixels of a spot come to have the same.

At fault: pixels outside of spots are left out by an index of truths, whose list of places is made twice a step; the host
waits for its length each time, and the GPU idles.
The pattern is that of kornia/kornia, pull request 2609: a product with the mask instead of the index."""
import torch
import torch.nn.functional as F

from case import run_case

PICTURES, SIDE, STEPS, BLUR, BOUND, SETS, ROUNDS = 16, 768, 24, 9, 1.2, 4, 700


def made_pictures():
    """Which pixels lie in spots, and the numbers that pixels begin with; 0 is outside."""
    grey = torch.rand(PICTURES, 1, SIDE, SIDE, device="cuda")
    for _ in range(2):
        grey = F.avg_pool2d(grey, BLUR, 1, BLUR // 2)
    spots = grey > grey.mean() + BOUND * grey.std()
    numbers = torch.arange(1, spots.numel() + 1, device="cuda", dtype=torch.float32).view_as(grey)
    return spots, numbers * spots


def joined_by_index(numbers, spots):
    for _ in range(STEPS):
        numbers[spots] = F.max_pool2d(numbers, 3, 1, 1)[spots]  # fault
    return numbers


def joined_by_product(numbers, spots):
    for _ in range(STEPS):
        numbers = F.max_pool2d(numbers, 3, 1, 1).mul_(spots)
    return numbers


def joining(join, mask_of):
    torch.manual_seed(1)
    pictures = [(mask_of(spots), numbers) for spots, numbers in (made_pictures() for _ in range(SETS))]
    state = [0, None]

    @torch.no_grad()
    def one_round():
        spots, numbers = pictures[state[0] % SETS]
        state[:] = state[0] + 1, join(numbers.clone(), spots)  # fault

    return one_round, lambda: state[1].double().sum().item(), ROUNDS


run_case(lambda: joining(joined_by_index, lambda spots: spots), lambda: joining(joined_by_product, torch.Tensor.float))
