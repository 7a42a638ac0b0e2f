"""Serves people who sign with sensor gloves: each round tells which of 600 signs are in the newest recordings of 512
gloves. A recording has 24 to 64 moments of 32 sensors; a transformer of 4 layers reads them, and moments that were not
recorded are masked. Signs go out by pinned memory, and the host reads those of a round three rounds later."""
import numpy as np
import torch
from torch import nn
from torch.nn import functional

from case import run_case

GLOVES, SHORTEST, MOMENTS, SENSORS, SIGNS, SETS, SLOTS = 512, 24, 64, 32, 600, 8, 3
WIDTH, HEADS, LAYERS, ROUNDS = 512, 8, 4, 800


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.second_norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.project, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, state, there):
        parts = self.project(self.norm(state)).view(GLOVES, MOMENTS, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(*parts, attn_mask=there[:, None, None, :])
        state = state + self.out(seen.transpose(1, 2).flatten(2))
        return state + self.down(functional.gelu(self.up(self.second_norm(state))))


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.start, self.places = nn.Linear(SENSORS, WIDTH), nn.Parameter(0.1 * torch.randn(MOMENTS, WIDTH))
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, SIGNS)

    def forward(self, moments, there):
        """The likeliest sign of each recording, and how likely it is."""
        state = self.start(moments.to(torch.bfloat16)) + self.places
        for layer in self.layers:
            state = layer(state, there)
        share = (there / there.sum(1, keepdim=True)).to(state.dtype)
        mean = torch.bmm(share[:, None], self.norm(state)).squeeze(1)
        return self.head(mean).float().softmax(1).max(1)


class Mailbox:
    """Recordings as they have come in, one after the other, in pinned memory."""
    def __init__(self):
        random = np.random.default_rng(1)
        self.lengths = random.integers(SHORTEST, MOMENTS + 1, (SETS, GLOVES))
        self.pages = torch.randn(int(self.lengths.sum()), SENSORS).pin_memory()
        ends = self.lengths.reshape(-1).cumsum().tolist()
        starts = [0] + ends[:-1]
        self.recordings = [self.pages[first:last] for first, last in zip(starts, ends)]

    def take(self, number):
        own = number % SETS
        return self.recordings[own * GLOVES:(own + 1) * GLOVES], self.lengths[own]


class Slot:
    """A round's recordings and signs, and whether the host can read these."""
    def __init__(self):
        with torch.device("cuda"):
            self.moments, self.count = torch.zeros(GLOVES, MOMENTS, SENSORS), torch.zeros(GLOVES, dtype=torch.int64)
        self.collated = torch.zeros(GLOVES, MOMENTS, SENSORS).pin_memory()
        self.counted = torch.zeros(GLOVES, dtype=torch.int64).pin_memory()
        self.sign, self.sure = torch.zeros(GLOVES, dtype=torch.int64).pin_memory(), torch.zeros(GLOVES).pin_memory()
        self.ready = torch.cuda.Event()


def send_each(slot, recordings):
    for row, recording in enumerate(recordings):
        slot.moments[row, :len(recording)].copy_(recording, non_blocking=True)  # fault


def send_together(slot, recordings):
    rows = slot.collated.numpy()
    for row, recording in zip(rows, recordings):
        row[:len(recording)] = recording.numpy()
    slot.moments.copy_(slot.collated, non_blocking=True)


class Server:
    def __init__(self, send):
        with torch.device("cuda"):
            self.reader = Reader().to(torch.bfloat16).eval()
            self.order = torch.arange(MOMENTS)
        self.send, self.mailbox, self.slots = send, Mailbox(), [Slot() for _ in range(SLOTS)]
        self.number, self.sure, self.kinds = 0, 0.0, 0

    def read(self, slot):
        slot.ready.synchronize()
        self.sure += slot.sure.sum().item()
        self.kinds += len(np.unique(slot.sign.numpy()))

    @torch.inference_mode()
    def answer(self):
        slot = self.slots[self.number % SLOTS]
        if self.number >= SLOTS:
            self.read(slot)
        recordings, lengths = self.mailbox.take(self.number)
        self.send(slot, recordings)  # fault
        slot.counted.numpy()[:] = lengths
        slot.count.copy_(slot.counted, non_blocking=True)
        there = self.order < slot.count[:, None]
        sure, sign = self.reader(slot.moments, there)
        slot.sure.copy_(sure, non_blocking=True)
        slot.sign.copy_(sign, non_blocking=True)
        slot.ready.record()
        self.number += 1

    def finish(self):
        for number in range(max(self.number - SLOTS, 0), self.number):
            self.read(self.slots[number % SLOTS])
        return self.sure


def signing(send):
    torch.manual_seed(1)
    server = Server(send)
    return server.answer, server.finish, ROUNDS


run_case(lambda: signing(send_each), lambda: signing(send_together))
