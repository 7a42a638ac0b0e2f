"""Features of video frames, which the host has as bytes.

At fault: the host widens the bytes to floats and copies four times as much from ordinary memory.
The pattern is that of talmolab/sleap-nn, pull request 406: bytes are copied, and the device widens them."""
import torch
from torch import nn

from case import run_case

FRAMES, SIDE, BATCHES, ROUNDS = 16, 512, 4, 200


class Video:
    def __init__(self, pinned):
        torch.manual_seed(1)
        self.net = nn.Sequential(nn.Conv2d(3, 32, 7, stride=4, padding=3), nn.ReLU(), nn.Conv2d(32, 64, 3, padding=1),
                                 nn.ReLU(), nn.Conv2d(64, 64, 3, stride=2, padding=1)).to("cuda")
        self.batches = [torch.randint(256, (FRAMES, 3, SIDE, SIDE), dtype=torch.uint8) for _ in range(BATCHES)]
        if pinned:
            self.batches = [batch.pin_memory() for batch in self.batches]
        self.number, self.sum = 0, torch.zeros((), dtype=torch.float64, device="cuda")

    def next_batch(self):
        self.number += 1
        # Real frames differ from round to round.
        batch = self.batches[self.number % BATCHES]
        batch[0, 0, 0, 0] = self.number % 251
        return batch

    @torch.no_grad()
    def look_at(self, frames):
        self.sum += self.net(frames).abs().sum(dtype=torch.float64)

    def total(self):
        return self.sum.item()


def widened_first():
    video = Video(pinned=False)

    def one_round():
        frames = video.next_batch().float().div_(255)
        video.look_at(frames.to("cuda"))  # fault

    return one_round, video.total, ROUNDS


def copied_as_bytes():
    video, side = Video(pinned=True), torch.cuda.Stream()
    ready = [torch.cuda.Event() for _ in range(BATCHES)]
    waiting = []

    def fetch():
        place = (video.number + 1) % BATCHES
        ready[place].synchronize()
        with torch.cuda.stream(side):
            frames = video.next_batch().to("cuda", non_blocking=True)
            ready[place].record(side)
        waiting.append((frames, ready[place]))

    fetch()

    def one_round():
        frames, event = waiting.pop()
        torch.cuda.current_stream().wait_event(event)
        frames.record_stream(torch.cuda.current_stream())
        if video.number < ROUNDS:
            fetch()
        video.look_at(frames.float().div_(255))

    return one_round, video.total, ROUNDS


run_case(widened_first, copied_as_bytes)
