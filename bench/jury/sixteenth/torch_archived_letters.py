"""Makes a vector of each of 256 letters a round, by which an archive finds letters that are alike: 256 words of each pass six
layers of attention, and the mean over all words is kept.

Nothing is wrong: weights are bfloat16 from the start, attention is the library's own kernel, words come from the host through
pinned memory while the GPU still works on the letters before, and the host waits only before it writes over words of three
rounds ago.
The pattern is that of NVIDIA/NeMo-Retriever, pull request 1757: texts become vectors by a network that is loaded as bfloat16
instead of autocast."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

LETTERS, WORDS, KNOWN, WIDTH, HEADS, LAYERS, SLOTS, ROUNDS = 256, 256, 32768, 512, 8, 6, 3, 750


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.before, self.inward, self.outward = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.wide = nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, found):
        shape = LETTERS, WORDS, 3, HEADS, WIDTH // HEADS
        queries, keys, values = self.inward(self.before(found)).view(shape).permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(queries, keys, values).transpose(1, 2).flatten(2)
        found = found + self.outward(mixed)
        return found + self.wide(found)


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(KNOWN, WIDTH), nn.Parameter(0.1 * torch.randn(WORDS, WIDTH))
        self.layers = nn.Sequential(*[Layer() for _ in range(LAYERS)], nn.LayerNorm(WIDTH))

    def forward(self, words):
        return self.layers(self.words(words) + self.places).mean(1)


def archiving():
    torch.manual_seed(1)
    reader, host = Reader().to("cuda", torch.bfloat16).eval(), torch.Generator().manual_seed(2)
    slots = [(torch.empty(LETTERS, WORDS, dtype=torch.int32, pin_memory=True), torch.cuda.Event()) for _ in range(SLOTS)]
    state = [0, None]

    @torch.no_grad()
    def one_round():
        words, copied = slots[state[0] % SLOTS]
        copied.synchronize()
        torch.randint(KNOWN, words.shape, generator=host, out=words)
        sent = words.to("cuda", non_blocking=True)
        copied.record()
        state[:] = state[0] + 1, reader(sent)

    return one_round, lambda: state[1].double().abs().sum().item(), ROUNDS


run_case(None, archiving)
