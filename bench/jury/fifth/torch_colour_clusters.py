"""Two steps of k-means from given centres: 262,144 points of 32 values in 64 clusters.

At fault: the points of each cluster are picked with nonzero, and each time the host waits for their number while the GPU idles.
The pattern is that of the clusters in kornia/kornia, issue 4533, which pull request 4545 sums with one product instead."""
import torch

from case import run_case

POINTS, WIDTH, CLUSTERS, STEPS, ROUNDS = 262144, 32, 64, 2, 100


def made_points():
    torch.manual_seed(1)
    middles = 4 * torch.randn(CLUSTERS, WIDTH, device="cuda")
    points = middles.repeat(POINTS // CLUSTERS, 1) + torch.randn(POINTS, WIDTH, device="cuda")
    return points, points[:CLUSTERS].clone()


def nearest_of(points, centres):
    return torch.cdist(points, centres).argmin(1)


def total_of(centres):
    return centres.double().abs().sum().item()


def picked_one_by_one():
    points, start = made_points()
    results = [None]

    def one_round():
        centres = start.clone()
        for _ in range(STEPS):
            nearest = nearest_of(points, centres)
            for number in range(CLUSTERS):
                own = torch.nonzero(nearest == number).squeeze(1)  # fault
                centres[number] = points[own].mean(0)
        results[0] = centres

    return one_round, lambda: total_of(results[0]), ROUNDS


def summed_at_once():
    points, start = made_points()
    numbers, results = torch.arange(CLUSTERS, device="cuda"), [None]

    def one_round():
        centres = start
        for _ in range(STEPS):
            belongs = (nearest_of(points, centres).unsqueeze(1) == numbers).float()
            centres = (belongs.t() @ points) / belongs.sum(0).unsqueeze(1)
        results[0] = centres

    return one_round, lambda: total_of(results[0]), ROUNDS


run_case(picked_one_by_one, summed_at_once)
