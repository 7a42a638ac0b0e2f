"""Places of the peaks in heat maps of eight pictures with 16 channels.

At fault: the maps go to the host, which looks for the peaks while the GPU idles.
The pattern is that of tlpss/keypoint-detection, pull request 31: max_pool2d and topk on the device, 5 to 70 times as fast."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

PICTURES, CHANNELS, SIDE, PEAKS, ROUNDS = 8, 16, 256, 10, 60


def peaks_of(maps):
    highest = functional.max_pool2d(maps, 3, stride=1, padding=1)
    kept = torch.where(maps == highest, maps, torch.zeros_like(maps))
    return kept.flatten(2).topk(PEAKS, dim=2)


class Detector:
    def __init__(self):
        torch.manual_seed(1)
        self.net = nn.Sequential(nn.Conv2d(3, 64, 3, padding=1), nn.ReLU(), nn.Conv2d(64, 64, 3, padding=1), nn.ReLU(),
                                 nn.Conv2d(64, CHANNELS, 3, padding=1), nn.Sigmoid()).to("cuda")
        self.pictures = torch.rand(PICTURES, 3, SIDE, SIDE, device="cuda")
        self.score = torch.zeros((), dtype=torch.float64, device="cuda")

    @torch.no_grad()
    def maps(self):
        return self.net(self.pictures)

    def total(self):
        return self.score.item()


def on_the_host():
    detector = Detector()

    def one_round():
        maps = detector.maps().cpu()  # fault
        values, _ = peaks_of(maps)
        detector.score += values.double().sum().item()

    return one_round, detector.total, ROUNDS


def on_the_device():
    detector = Detector()

    def one_round():
        values, _ = peaks_of(detector.maps())
        detector.score += values.sum(dtype=torch.float64)

    return one_round, detector.total, ROUNDS


run_case(on_the_host, on_the_device)
