"""Learns what people type on their phones: each round is a step of a transformer on 64 pieces of 128 keys, cut out of
text that lies on the GPU. Network and loss are one compiled function in mixed precision. How large the slopes of each
parameter are is kept for the record of the training, by the parameter's name."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

KEYS, WORDS, LONG, TYPED, BATCH, SEEN, ROUNDS = 96, 8192, 8, 1 << 21, 64, 128, 340
WIDTH, HEADS, LAYERS, RATE, DECAY, RISE, TYPOS = 512, 8, 8, 4e-4, 1e-2, 20, 0.03


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.second_norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.project, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.down.weight)

    def forward(self, state):
        parts = self.project(self.norm(state)).view(BATCH, SEEN, 3, HEADS, WIDTH // HEADS)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        state = state + self.out(seen.transpose(1, 2).flatten(2))
        return state + self.down(functional.gelu(self.up(self.second_norm(state))))


class Typist(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Parameter(0.5 * torch.randn(KEYS, WIDTH))
        self.places = nn.Parameter(0.1 * torch.randn(SEEN, WIDTH))
        self.layers = nn.Sequential(*(Layer() for _ in range(LAYERS)))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, KEYS)

    def forward(self, keys):
        """The loss on the key that comes next, for each place."""
        state = functional.one_hot(keys[:, :-1], KEYS).to(torch.bfloat16) @ self.embed.to(torch.bfloat16)
        scores = self.head(self.norm(self.layers(state + self.places.to(torch.bfloat16)))).float()
        return functional.cross_entropy(scores.flatten(0, 1), keys[:, 1:].flatten())


def typed_keys():
    """Words one after the other, some much more often than others, with a space behind each and a few slips."""
    words = torch.randint(1, KEYS, (WORDS, LONG), device="cuda")
    words[:, -1] = 0
    chosen = (torch.rand(TYPED // LONG, device="cuda") ** 3 * WORDS).long()
    keys = words[chosen].flatten()
    slips = torch.rand(TYPED, device="cuda") < TYPOS
    return torch.where(slips, torch.randint(1, KEYS, (TYPED,), device="cuda"), keys)


class RecordOfNumbers:
    """Sums of what was noted, for each name."""
    def __init__(self, names):
        self.sums = dict.fromkeys(names, 0.0)

    def note(self, parameters):
        for name, parameter in zip(self.sums, parameters):  # fault
            self.sums[name] += parameter.grad.norm().item()  # fault

    def read(self):
        return self.sums


class RecordOnDevice(RecordOfNumbers):
    def __init__(self, names):
        super().__init__(names)
        self.device_sums = torch.zeros(len(names), device="cuda")

    def note(self, parameters):
        self.device_sums.add_(torch.stack(torch._foreach_norm([parameter.grad for parameter in parameters])))

    def read(self):
        return dict(zip(self.sums, self.device_sums.tolist()))


class Trainer:
    def __init__(self, record):
        with torch.device("cuda"):
            self.typist, self.losses, self.ahead = Typist(), torch.zeros(()), torch.arange(SEEN + 1)
        self.keys = typed_keys()
        names, self.parameters = zip(*self.typist.named_parameters())
        self.optimiser = torch.optim.AdamW(self.parameters, lr=RATE, weight_decay=DECAY, betas=(0.9, 0.95), fused=True)
        rise = torch.optim.lr_scheduler.LinearLR(self.optimiser, 0.1, total_iters=RISE)
        fall = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimiser, 2 * ROUNDS)
        self.schedule = torch.optim.lr_scheduler.SequentialLR(self.optimiser, [rise, fall], [RISE])
        self.error, self.record = torch.compile(self.typist, dynamic=False), record(names)
        self.learn()  # compiles
        self.losses.zero_()

    def learn(self):
        starts = torch.randint(TYPED - SEEN, (BATCH, 1), device="cuda")
        keys = self.keys[starts + self.ahead]
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = self.error(keys)
        loss.backward()
        self.record.note(self.parameters)  # fault
        self.optimiser.step()
        self.optimiser.zero_grad()
        self.schedule.step()
        self.losses.add_(loss.detach())

    def total(self):
        """Mean loss, and a part of how large slopes were."""
        slopes = self.record.read()
        return self.losses.item() / ROUNDS + 0.1 * sum(slopes.values()) / (len(slopes) * ROUNDS)


def typing(record):
    torch.manual_seed(1)
    trainer = Trainer(record)
    return trainer.learn, trainer.total, ROUNDS


run_case(lambda: typing(RecordOfNumbers), lambda: typing(RecordOnDevice))
