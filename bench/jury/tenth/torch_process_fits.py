"""Solves for the weights of a Gaussian process of 16,384 points by conjugate gradients, 64 right sides at once.

Nothing is wrong: the covariances are on the device, one product a step is by far the most work, and the numbers of a
step stay there, too. The residual is read once in ten rounds.
The pattern is that of cornellius-gp/linear_operator, linear_operator/utils/linear_cg.py, without a preconditioner."""
import torch

from case import run_case

POINTS, SIDES, DIMENSIONS, STEPS, EACH, ROUNDS = 16384, 64, 4, 20, 10, 130


def made_covariances():
    torch.manual_seed(1)
    points = torch.rand(POINTS, DIMENSIONS, device="cuda")
    covariances = torch.cdist(points, points).div_(0.1).square_().mul_(-0.5).exp_()
    covariances.diagonal().add_(10.0)
    return covariances


def solving():
    covariances, count, kept = made_covariances(), [0], [None, 0.0]
    targets = torch.randn(4, POINTS, SIDES, device="cuda")

    @torch.no_grad()
    def one_round():
        left = targets[count[0] % len(targets)].clone()
        solved, along = torch.zeros_like(left), left.clone()
        size = torch.linalg.vector_norm(left, dim=0).square_()
        for _ in range(STEPS):
            product = covariances @ along
            length = size / (along * product).sum(0)
            solved.addcmul_(along, length)
            left.addcmul_(product, length, value=-1)
            before, size = size, torch.linalg.vector_norm(left, dim=0).square_()
            along.mul_(size / before).add_(left)
        count[0] += 1
        kept[0] = solved
        if count[0] % EACH == 0:
            kept[1] = size.max().item()  # a residual, for those who watch

    return one_round, lambda: kept[0].double().square().sum().item(), ROUNDS


run_case(None, solving)
