"""Boxes, labels and masks of a hundred people in each of four pictures, for the host.

At fault: each tensor goes to ordinary memory by a call that waits, before the next picture is looked at.
The pattern is that of roboflow/rf-detr, pull request 1420: copies to pinned memory and one wait for all of them."""
import torch
from torch.nn import functional

from case import run_case

PICTURES, PEOPLE, WIDTH, SIDE, FULL, ROUNDS = 4, 100, 64, 128, 512, 100


class Detector:
    def __init__(self):
        torch.manual_seed(1)
        self.features = torch.randn(PICTURES, WIDTH, SIDE * SIDE, device="cuda").half()
        self.queries = torch.randn(PICTURES, PEOPLE, WIDTH, device="cuda").half()
        self.corners = torch.randn(WIDTH, 4, device="cuda").half()
        self.classes = torch.randn(WIDTH, 91, device="cuda").half()
        self.number, self.sum = 0, 0.0

    @torch.no_grad()
    def find(self):
        self.number += 1
        queries = self.queries + 0.001 * (self.number % 16)
        boxes = (queries @ self.corners).sigmoid()
        scores, labels = (queries @ self.classes).max(-1)
        masks = (queries @ self.features).view(PICTURES, PEOPLE, SIDE, SIDE)
        masks = functional.interpolate(masks, (FULL, FULL), mode="bilinear") > 0
        return boxes, scores, labels, masks

    def read(self, boxes, scores, labels, masks):
        self.sum += boxes.float().sum().item() + scores.float().sum().item() + labels.sum().item()
        self.sum += masks[0, FULL // 2].sum().item()

    def total(self):
        return self.sum


def one_by_one():
    detector = Detector()

    def one_round():
        boxes, scores, labels, masks = detector.find()
        for picture in range(PICTURES):
            detector.read(boxes[picture].cpu(), scores[picture].cpu(), labels[picture].cpu(),  # fault
                          masks[picture].cpu())  # fault

    return one_round, detector.total, ROUNDS


def all_at_once():
    detector, side = Detector(), torch.cuda.Stream()
    places = [[torch.empty(found.shape, dtype=found.dtype, pin_memory=True) for found in detector.find()]
              for _ in range(2)]
    arrived = [torch.cuda.Event() for _ in range(2)]
    detector.number, waiting = 0, []

    def read_oldest():
        place = waiting.pop(0)
        arrived[place].synchronize()
        for picture in zip(*places[place]):
            detector.read(*picture)

    def one_round():
        place, results = detector.number % 2, detector.find()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for pinned, found in zip(places[place], results):
                pinned.copy_(found, non_blocking=True)
                found.record_stream(side)
            arrived[place].record(side)
        waiting.append(place)
        if len(waiting) == 2 or detector.number == ROUNDS:
            read_oldest()

    def total():
        while waiting:
            read_oldest()
        return detector.total()

    return one_round, total, ROUNDS


run_case(one_by_one, all_at_once)
