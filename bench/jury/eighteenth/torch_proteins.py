"""Learns the language of proteins: a transformer of 6 layers in mixed precision is trained on 8 chains of 1024 amino
acids a round, of which 15 % are hidden and have to be told.

At fault: attention is written out, so each layer writes the likeness of all pairs of amino acids, 100 million numbers,
and reads and writes them several times more for the softmax, the conversions around it and the second product, and
again on the way back; the library's attention does it in one kernel that keeps them on the chip.
The pattern is that of m87-labs/moondream, pull request 78 (scaled_dot_product_attention instead of attention written
out, 20 % faster), and LTH14/JiT, issue 15: the same for a transformer of pictures, faster training with less
memory."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

CHAINS, LENGTH, KINDS, HIDDEN, WIDTH, HEADS, LAYERS, SETS, ROUNDS = 8, 1024, 32, 31, 768, 12, 6, 16, 260
SIZE = WIDTH // HEADS


def attend_in_steps(query, key, value):
    alike = (query * SIZE ** -0.5) @ key.transpose(2, 3)  # fault
    return alike.softmax(-1) @ value  # fault


def attend_at_once(query, key, value):
    return functional.scaled_dot_product_attention(query, key, value)


class Layer(nn.Module):
    def __init__(self, attend):
        super().__init__()
        self.attend, self.norm, self.second_norm = attend, nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.project, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, state):
        parts = self.project(self.norm(state)).view(CHAINS, LENGTH, 3, HEADS, SIZE).permute(2, 0, 3, 1, 4)
        seen = self.attend(*parts)  # fault
        state = state + self.out(seen.transpose(1, 2).reshape(CHAINS, LENGTH, WIDTH))
        return state + self.down(functional.gelu(self.up(self.second_norm(state))))


class Network(nn.Module):
    def __init__(self, attend):
        super().__init__()
        self.kinds, self.places = nn.Embedding(KINDS, WIDTH), nn.Parameter(torch.randn(LENGTH, WIDTH))
        self.layers = nn.Sequential(*(Layer(attend) for _ in range(LAYERS)))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, KINDS)

    def forward(self, chains):
        return self.head(self.norm(self.layers(self.kinds(chains) + self.places)))


def reading(attend):
    torch.manual_seed(1)
    network, chains = Network(attend).to("cuda"), torch.randint(20, (SETS, CHAINS, LENGTH), device="cuda")
    optimiser = torch.optim.AdamW(network.parameters(), lr=1e-6, fused=True)
    losses, number = torch.zeros((), device="cuda"), [0]

    def one_round():
        chain = chains[number[0] % SETS]
        hidden = torch.rand(CHAINS, LENGTH, device="cuda") < 0.15
        with torch.autocast("cuda", dtype=torch.bfloat16):
            told = network(chain.masked_fill(hidden, HIDDEN))
            loss = functional.cross_entropy(told.flatten(0, 1), chain.masked_fill(~hidden, -100).flatten())
        loss.backward()
        optimiser.step()
        optimiser.zero_grad()
        losses.add_(loss.detach())
        number[0] += 1

    return one_round, lambda: losses.item(), ROUNDS


run_case(lambda: reading(attend_in_steps), lambda: reading(attend_at_once))
