"""Learns which frogs call at night: each round is a step on 256 clips of five seconds, which are cut out of a recording
that begins anywhere in the night. Samples lie in pinned memory and are copied by a stream of their own during the step
before. Spectra are made on the GPU; what follows them, a transformer and its loss, is one compiled function."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

CLIPS, CALL, CALLS, KINDS, NIGHT, SLOTS, ROUNDS = 256, 8064, 10, 40, 8192, 2, 260
WINDOW, HOP, BANDS, FRAMES, STEP, HIDDEN = 512, 160, 64, 500, 4, 40
WIDTH, HEADS, LAYERS, RATE, DECAY, LOUD = 384, 6, 6, 2e-4, 1e-2, 1 / 32768
SAMPLES, TOKENS = CALL * CALLS, FRAMES // STEP


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.second_norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.project, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, state):
        parts = self.project(self.norm(state)).view(CLIPS, TOKENS, 3, HEADS, WIDTH // HEADS)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(query, key, value)
        state = state + self.out(seen.transpose(1, 2).flatten(2))
        return state + self.down(functional.gelu(self.up(self.second_norm(state))))


class Listener(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.places = nn.Linear(STEP * BANDS, WIDTH), nn.Parameter(0.02 * torch.randn(TOKENS, WIDTH))
        self.layers = nn.Sequential(*(Layer() for _ in range(LAYERS)))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, KINDS)

    def forward(self, bands):
        state = self.layers(self.embed(bands.view(CLIPS, TOKENS, STEP * BANDS)) + self.places)
        return self.head(self.norm(state).mean(1))


def made_night():
    """Samples, in pinned memory, and which frog calls when; each kind has its own pitch and its own rhythm."""
    kinds = torch.randint(KINDS, (NIGHT,), device="cuda")
    times = torch.arange(CALL, device="cuda", dtype=torch.float32)
    pitch, rhythm = 0.1 + 0.05 * kinds[:, None], 0.002 + 0.0002 * kinds[:, None]
    sound = (pitch * times).sin_().mul_((rhythm * times).sin_())
    sound.mul_(6000).add_(torch.randn_like(sound), alpha=1500)
    night = torch.empty(NIGHT * CALL, dtype=torch.int16, pin_memory=True)
    night.copy_(sound.flatten().to(torch.int16))
    return night, functional.one_hot(kinds, KINDS).float()


def made_bands():
    """Triangles that are wider the higher their pitch is."""
    places = torch.arange(WINDOW // 2 + 1, device="cuda")[:, None]
    edges = 2 + 254 * (torch.arange(BANDS + 2, device="cuda") / (BANDS + 1)) ** 1.6
    left, middle, right = edges[:-2], edges[1:-1], edges[2:]
    return torch.minimum((places - left) / (middle - left), (right - places) / (right - middle)).clamp_(min=0)


def error(listener, spectra, bands, hidden, kinds):
    """Loudness of bands, some frames of which are hidden, and how well the frogs in them are told."""
    power = spectra.square().sum(3)[:, :, :FRAMES].transpose(1, 2)
    loud = (power @ bands + 1e-6).log()
    loud = (loud - loud.mean((1, 2), keepdim=True)) / (loud.std((1, 2), keepdim=True) + 1e-3)
    frames = torch.arange(FRAMES, device=loud.device)
    covered = (frames >= hidden[:, None]) & (frames < hidden[:, None] + HIDDEN)
    with torch.autocast("cuda", dtype=torch.bfloat16):
        told = listener(loud.masked_fill(covered[:, :, None], 0.0))
    return functional.binary_cross_entropy_with_logits(told.float(), kinds)


class Slot:
    def __init__(self):
        self.samples = torch.empty(CLIPS * SAMPLES, dtype=torch.int16, device="cuda")
        self.first, self.ready, self.used = 0, torch.cuda.Event(), torch.cuda.Event()


class Recorder:
    """Copies the samples of the step after next as soon as those before them in their slot have been used."""
    def __init__(self):
        self.night, self.kinds = made_night()
        self.random, self.stream = torch.Generator().manual_seed(2), torch.cuda.Stream()
        self.slots, self.number = [Slot() for _ in range(SLOTS)], 0
        for slot in self.slots:
            self.fetch(slot)

    def fetch(self, slot):
        slot.first = int(torch.randint(NIGHT - CLIPS * CALLS + 1, (), generator=self.random))
        begin = slot.first * CALL
        with torch.cuda.stream(self.stream):
            self.stream.wait_event(slot.used)
            slot.samples.copy_(self.night[begin:begin + CLIPS * SAMPLES], non_blocking=True)
            slot.ready.record()

    def clips(self):
        """Samples as numbers, and which frogs call in each clip."""
        slot = self.slots[self.number % SLOTS]
        torch.cuda.current_stream().wait_event(slot.ready)
        clips = slot.samples.view(CLIPS, SAMPLES).float()
        kinds = self.kinds[slot.first:slot.first + CLIPS * CALLS].view(CLIPS, CALLS, KINDS).amax(1)
        slot.used.record()
        self.fetch(slot)
        self.number += 1
        return clips, kinds


class Trainer:
    def __init__(self):
        with torch.device("cuda"):
            self.listener, self.losses = Listener(), torch.zeros(())
            self.window = torch.hann_window(WINDOW) * LOUD
        self.bands, self.recorder = made_bands(), Recorder()
        self.optimiser = torch.optim.AdamW(self.listener.parameters(), lr=RATE, weight_decay=DECAY, fused=True)
        self.schedule = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimiser, 2 * ROUNDS)
        self.error = torch.compile(error, dynamic=False)
        self.learn()
        self.losses.zero_()

    def learn(self):
        clips, kinds = self.recorder.clips()
        spectra = torch.stft(clips, WINDOW, HOP, window=self.window, center=False, return_complex=True)
        hidden = torch.randint(FRAMES - HIDDEN, (CLIPS,), device="cuda")
        loss = self.error(self.listener, torch.view_as_real(spectra), self.bands, hidden, kinds)
        loss.backward()
        self.optimiser.step()
        self.optimiser.zero_grad()
        self.schedule.step()
        self.losses.add_(loss.detach())


def croaking():
    torch.manual_seed(1)
    trainer = Trainer()
    return trainer.learn, lambda: trainer.losses.item(), ROUNDS


run_case(None, croaking)
