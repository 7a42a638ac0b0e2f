"""The calibration error of a classifier: 8 million confidences, in 15 bins.

At fault: all confidences are added with atomics to 15 words, three times.
The pattern is that of Lightning-AI/torchmetrics, pull request 769, which bins with scatter_add; pytorch/pytorch, pull request
168073, spreads such additions over parts of the destination and adds up the parts."""
import torch

from case import run_case

SCORES, BINS, PARTS, ROUNDS = 8 << 20, 15, 4096, 150


def made_scores():
    torch.manual_seed(1)
    scores = torch.rand(SCORES, device="cuda")
    right = (torch.rand(SCORES, device="cuda") < scores * scores).float()
    return scores, right, torch.ones_like(scores), torch.linspace(0, 1, BINS + 1, device="cuda")


def bins_of(scores, edges):
    return (torch.bucketize(scores, edges, right=True) - 1).clamp_(0, BINS - 1)


def error_of(counts, confidences, hits):
    filled = counts.clamp(min=1)
    return ((hits / filled - confidences / filled).abs() * (counts / SCORES)).sum()


def in_few_words():
    scores, right, ones, edges = made_scores()
    results = [None]

    def one_round():
        bins = bins_of(scores, edges)
        counts, confidences, hits = torch.zeros(3, BINS, device="cuda")
        counts.scatter_add_(0, bins, ones)  # fault
        confidences.scatter_add_(0, bins, scores)  # fault
        hits.scatter_add_(0, bins, right)  # fault
        results[0] = error_of(counts, confidences, hits)

    return one_round, lambda: results[0].item(), ROUNDS


def in_parts():
    scores, right, ones, edges = made_scores()
    part = torch.arange(SCORES, device="cuda") % PARTS
    results = [None]

    def one_round():
        places = bins_of(scores, edges).mul_(PARTS).add_(part)
        counts, confidences, hits = torch.zeros(3, BINS * PARTS, device="cuda")
        counts.scatter_add_(0, places, ones)
        confidences.scatter_add_(0, places, scores)
        hits.scatter_add_(0, places, right)
        results[0] = error_of(*(sums.view(BINS, PARTS).sum(1) for sums in (counts, confidences, hits)))

    return one_round, lambda: results[0].item(), ROUNDS


run_case(in_few_words, in_parts)
