"""Grades photographs of the back of the eye: each round, 128 photographs of 512 x 512 points go to the GPU as bytes and
through a vision transformer in bfloat16, which tells five grades of a disease and where in the eye it looked. While a
batch is graded, the next one is uploaded by a stream of its own into the other one of two buffers."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

PHOTOS, POINTS, PATCH, COLOURS, GRADES, SETS, SLOTS, ROUNDS = 128, 512, 32, 3, 5, 3, 2, 260
WIDTH, HEADS, LAYERS = 512, 8, 6
ACROSS, PATCH_SIZE = POINTS // PATCH, PATCH * PATCH * COLOURS


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.second_norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.project, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, state):
        parts = self.project(self.norm(state)).view(PHOTOS, ACROSS ** 2, 3, HEADS, WIDTH // HEADS)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(query, key, value)
        state = state + self.out(seen.transpose(1, 2).flatten(2))
        return state + self.down(functional.gelu(self.up(self.second_norm(state))))


class Grader(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.places = nn.Linear(PATCH_SIZE, WIDTH), nn.Parameter(0.3 * torch.randn(ACROSS ** 2, WIDTH))
        self.layers = nn.Sequential(*(Layer() for _ in range(LAYERS)))
        self.norm, self.look, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 1), nn.Linear(WIDTH, GRADES)

    def forward(self, photos):
        """Shares of the grades, and how much each part of a photograph counts for them."""
        squares = photos.view(PHOTOS, ACROSS, PATCH, ACROSS, PATCH, COLOURS).transpose(2, 3)
        state = self.norm(self.layers(self.embed(squares.reshape(PHOTOS, ACROSS ** 2, PATCH_SIZE)) + self.places))
        looks = self.look(state).float().softmax(1)
        return self.head((state * looks.to(state.dtype)).sum(1)).float().softmax(1), looks.squeeze(2)


class Archive:
    """Batches of photographs, as the threads that decode them leave them in memory."""
    def __init__(self, keep):
        self.batches = []
        for number in range(SETS):
            light = torch.randint(40 * number, 256, (PHOTOS, POINTS, POINTS, COLOURS), dtype=torch.uint8, device="cuda")
            self.batches.append(keep(light.cpu()))  # fault

    def __getitem__(self, number):
        return self.batches[number % SETS]


class Uploader:
    def __init__(self, archive):
        self.archive, self.number, self.stream = archive, 0, torch.cuda.Stream()
        self.buffers = torch.zeros(SLOTS, PHOTOS, POINTS, POINTS, COLOURS, dtype=torch.uint8, device="cuda")
        self.full = [torch.cuda.Event() for _ in range(SLOTS)]
        self.free = [torch.cuda.Event() for _ in range(SLOTS)]
        torch.cuda.synchronize()
        self.upload()

    def upload(self):
        slot = self.number % SLOTS
        with torch.cuda.stream(self.stream):
            self.stream.wait_event(self.free[slot])
            self.buffers[slot].copy_(self.archive[self.number], non_blocking=True)  # fault
            self.full[slot].record(self.stream)
        self.number += 1

    def take(self):
        """The buffer that has been filled, or will be; the other one is filled from now on."""
        slot = (self.number - 1) % SLOTS
        self.upload()  # fault
        torch.cuda.current_stream().wait_event(self.full[slot])
        return slot, self.buffers[slot]

    def give(self, slot):
        self.free[slot].record()


class Clinic:
    def __init__(self, keep):
        with torch.device("cuda"):
            self.grader = Grader().to(torch.bfloat16).eval().requires_grad_(False)
            self.grades, self.sharpest = torch.zeros(GRADES), torch.zeros(())
            self.weights = torch.arange(1.0, GRADES + 1)
        self.uploader, self.number = Uploader(Archive(keep)), 0

    @torch.inference_mode()
    def grade(self):
        slot, photos = self.uploader.take()  # fault
        light = 1 + 0.04 * (self.number % 9)
        shares, looks = self.grader(photos.to(torch.bfloat16).mul_(light / 127.5).sub_(light))
        self.uploader.give(slot)
        self.grades.add_(shares.mean(0))
        self.sharpest.add_(looks.amax(1).mean())
        self.number += 1

    def close(self):
        return (self.grades @ self.weights + self.sharpest).item()


def screening(keep):
    torch.manual_seed(1)
    clinic = Clinic(keep)
    return clinic.grade, clinic.close, ROUNDS


run_case(lambda: screening(lambda batch: batch), lambda: screening(lambda batch: batch.pin_memory()))
