"""Serves the search of a cookery site: each round answers a batch of 12 questions of 32 words. A transformer makes a
vector of each question, which is compared with those of 131072 recipes, and how well the best eight fit goes back.
Questions come in and answers go out by pinned memory, and the host reads the answers of a round three rounds later."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

QUESTIONS, WORDS, KNOWN, RECIPES, SIZE, BEST = 12, 32, 50000, 131072, 512, 8
WIDTH, HEADS, LAYERS, SLOTS, HEAT, ROUNDS = 3072, 24, 4, 3, 0.1, 2200


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.second_norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.project, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, state):
        parts = self.project(self.norm(state))  # fault
        parts = parts.view(QUESTIONS, WORDS, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(*parts)
        state = state + self.out(seen.transpose(1, 2).flatten(2))  # fault
        wide = functional.gelu(self.up(self.second_norm(state)))  # fault
        return state + self.down(wide)  # fault


class Encoder(nn.Module):
    """Vectors of length one."""
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(KNOWN, WIDTH), nn.Parameter(torch.randn(WORDS, WIDTH))
        self.layers = nn.Sequential(*(Layer() for _ in range(LAYERS)))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, SIZE)

    def forward(self, words):
        state = self.layers(self.words(words) + self.places)  # fault
        return functional.normalize(self.head(self.norm(state).mean(1)).float(), dim=1)  # fault


class MixedSearch:
    """Keeps the weights as they were trained."""
    def __init__(self, encoder):
        self.encoder = encoder

    def vectors(self, words):
        with torch.autocast("cuda", dtype=torch.bfloat16):
            return self.encoder(words)  # fault


class HalfSearch:
    def __init__(self, encoder):
        self.encoder = encoder.to(torch.bfloat16)

    def vectors(self, words):
        return self.encoder(words)


class Slot:
    """A round's questions and answers, and whether the host can read these."""
    def __init__(self):
        self.asked = torch.randint(KNOWN, (QUESTIONS, WORDS)).pin_memory()
        self.words = torch.empty(QUESTIONS, WORDS, dtype=torch.int64, device="cuda")
        self.told, self.ready = torch.empty(QUESTIONS, BEST, pin_memory=True), torch.cuda.Event()


class Server:
    def __init__(self, search):
        with torch.device("cuda"):
            self.search = search(Encoder().eval())
            self.recipes = functional.normalize(torch.randn(RECIPES, SIZE), dim=1).to(torch.bfloat16)
        self.slots = [Slot() for _ in range(SLOTS)]
        self.number, self.sum = 0, 0.0

    def read(self, slot):
        slot.ready.synchronize()
        self.sum += slot.told.sum().item()

    @torch.inference_mode()
    def answer(self):
        slot = self.slots[self.number % SLOTS]
        if self.number >= SLOTS:
            self.read(slot)
        slot.words.copy_(slot.asked, non_blocking=True)
        vectors = self.search.vectors(slot.words)  # fault
        alike = vectors.to(torch.bfloat16) @ self.recipes.t()
        best = alike.topk(BEST, dim=1).values.float()
        slot.told.copy_(best.div_(HEAT).sigmoid_(), non_blocking=True)
        slot.ready.record()
        self.number += 1

    def finish(self):
        for number in range(max(self.number - SLOTS, 0), self.number):
            self.read(self.slots[number % SLOTS])
        return self.sum


def cooking(search):
    torch.manual_seed(1)
    server = Server(search)
    return server.answer, server.finish, ROUNDS


run_case(lambda: cooking(MixedSearch), lambda: cooking(HalfSearch))
