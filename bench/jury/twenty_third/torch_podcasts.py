"""Learns which podcasts people hear to the end: each round is a step on 512 pairs of a listener and an episode. Vectors
of listeners and episodes come from an earlier model and stay as they are; a deep ranker of eight wide layers is trained
on them, in mixed precision. Loaders have put the pairs into pinned memory."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

PAIRS, LISTENERS, EPISODES, SIZE, HEARD, SETS = 512, 400000, 200000, 256, 16, 24
WIDTH, LAYERS, RATE, ROUNDS = 4096, 4, 1e-5, 1100


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, state):
        return state + self.down(functional.relu(self.up(self.norm(state))))


class Ranker(nn.Module):
    def __init__(self):
        super().__init__()
        self.listeners = nn.Embedding.from_pretrained(torch.randn(LISTENERS, SIZE), freeze=True)
        self.episodes = nn.Embedding.from_pretrained(torch.randn(EPISODES, SIZE), freeze=True)
        self.start, self.head = nn.Linear(4 * SIZE, WIDTH), nn.Linear(WIDTH, 1)
        self.layers = nn.Sequential(*(Layer() for _ in range(LAYERS)))

    def forward(self, pairs):
        """A pair is a listener, an episode, and what this listener has heard before."""
        listener, episode = self.listeners(pairs[:, 0]), self.episodes(pairs[:, 1])
        heard = self.episodes(pairs[:, 2:]).mean(1)
        state = self.start(torch.cat((listener, episode, heard, listener * episode), 1))
        return self.head(self.layers(state)).squeeze(1)


class Loader:
    """Batches as the workers have collated them."""
    def __init__(self):
        listeners = torch.randint(LISTENERS, (SETS, PAIRS, 1))
        episodes = torch.randint(EPISODES, (SETS, PAIRS, 1 + HEARD))
        self.pairs = torch.cat((listeners, episodes), 2).pin_memory()
        self.ended = (torch.rand(SETS, PAIRS) < 0.3 + 0.4 * (listeners[..., 0] % 2)).float().pin_memory()

    def batch(self, number):
        own = number % SETS
        return tuple(part[own].to("cuda", non_blocking=True) for part in (self.pairs, self.ended))


class Trainer:
    def __init__(self, keep):
        self.loader, self.keep, self.number = Loader(), keep, 0
        with torch.device("cuda"):
            self.ranker = Ranker()
            self.losses = torch.zeros(())
        trained = [part for part in self.ranker.parameters() if part.requires_grad]
        self.optimiser = torch.optim.AdamW(trained, lr=RATE, fused=True)

    def learn(self):
        pairs, ended = self.loader.batch(self.number)
        self.optimiser.zero_grad(set_to_none=not self.keep)  # fault
        with torch.autocast("cuda", dtype=torch.bfloat16):
            told = self.ranker(pairs)
        loss = functional.binary_cross_entropy_with_logits(told.float(), ended)
        loss.backward()  # fault
        self.optimiser.step()
        self.losses.add_(loss.detach())
        self.number += 1


def hearing(keep):
    torch.manual_seed(1)
    trainer = Trainer(keep)
    return trainer.learn, lambda: trainer.losses.item(), ROUNDS


run_case(lambda: hearing(True), lambda: hearing(False))
