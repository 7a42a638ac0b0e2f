"""Learns to foretell moves of chess: each round is a step of a transformer on 128 games of 256 moves each, cut out of
16.8 million moves that lie on the GPU. Turns of queries and keys stand for places in a game. Network and loss are one
compiled function in mixed precision; slopes are bounded, and the rate rises before it falls."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

MOVES, KINDS, GAMES, SEEN, ROUNDS = 1 << 24, 2048, 128, 256, 160
WIDTH, HEADS, LAYERS, RATE, DECAY, BOUND, RISE = 512, 8, 6, 3e-4, 1e-2, 1.0, 20
SIZE, SPAN = WIDTH // HEADS, SEEN + 1


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.second_norm = nn.RMSNorm(WIDTH), nn.RMSNorm(WIDTH)
        self.project, self.out = nn.Linear(WIDTH, 3 * WIDTH, bias=False), nn.Linear(WIDTH, WIDTH, bias=False)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH, bias=False), nn.Linear(4 * WIDTH, WIDTH, bias=False)

    def forward(self, state, turns):
        parts = self.project(self.norm(state)).view(GAMES, SEEN, 3, HEADS, SIZE)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        query, key = turned(query, *turns), turned(key, *turns)
        seen = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        state = state + self.out(seen.transpose(1, 2).flatten(2))
        return state + self.down(functional.relu(self.up(self.second_norm(state))).square())


def turned(state, cosines, sines):
    one, other = state.chunk(2, -1)
    return torch.cat((one * cosines - other * sines, one * sines + other * cosines), -1).to(state.dtype)


class Player(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(KINDS, WIDTH)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm, self.head = nn.RMSNorm(WIDTH), nn.Linear(WIDTH, KINDS, bias=False)
        angles = torch.arange(SEEN)[:, None] * 1e4 ** (-torch.arange(SIZE // 2) / (SIZE // 2))
        self.register_buffer("cosines", angles.cos())
        self.register_buffer("sines", angles.sin())
        nn.init.normal_(self.embed.weight, std=0.5)
        for layer in self.layers:
            nn.init.zeros_(layer.out.weight)
            nn.init.zeros_(layer.down.weight)

    def forward(self, moves):
        state = self.embed(moves).to(torch.bfloat16)
        for layer in self.layers:
            state = layer(state, (self.cosines, self.sines))
        return self.head(self.norm(state))


def made_moves():
    """A move mostly answers the one before by one of eight ways; the rest is up to the players."""
    answers = torch.randint(KINDS, (KINDS, 8), device="cuda")
    moves = torch.empty(SPAN, MOVES // SPAN, dtype=torch.int64, device="cuda")
    moves[0] = torch.randint(KINDS, (MOVES // SPAN,), device="cuda")
    for number in range(1, SPAN):
        ways, strange = torch.randint(8, (MOVES // SPAN,), device="cuda"), torch.rand(MOVES // SPAN, device="cuda")
        free = torch.randint(KINDS, (MOVES // SPAN,), device="cuda")
        moves[number] = torch.where(strange < 0.1, free, answers[moves[number - 1], ways])
    return moves.T.flatten().to(torch.int16)


def error(player, moves, starts):
    games = moves[starts[:, None] + torch.arange(SPAN, device=moves.device)].long()
    with torch.autocast("cuda", dtype=torch.bfloat16):
        scores = player(games[:, :-1])
    return functional.cross_entropy(scores.flatten(0, 1).float(), games[:, 1:].flatten())


class Trainer:
    def __init__(self):
        with torch.device("cuda"):
            self.player, self.losses = Player(), torch.zeros(())
        self.moves, self.parts = made_moves(), list(self.player.parameters())
        self.optimiser = torch.optim.AdamW(self.parts, lr=RATE, weight_decay=DECAY, betas=(0.9, 0.95), fused=True)
        rise = torch.optim.lr_scheduler.LinearLR(self.optimiser, 0.1, total_iters=RISE)
        fall = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimiser, 2 * ROUNDS)
        self.schedule = torch.optim.lr_scheduler.SequentialLR(self.optimiser, [rise, fall], [RISE])
        self.error = torch.compile(error, dynamic=False)
        self.learn()
        self.losses.zero_()

    def learn(self):
        starts = torch.randint(self.moves.numel() - SPAN + 1, (GAMES,), device="cuda")
        loss = self.error(self.player, self.moves, starts)
        loss.backward()
        nn.utils.clip_grad_norm_(self.parts, BOUND)
        self.optimiser.step()
        self.optimiser.zero_grad()
        self.schedule.step()
        self.losses.add_(loss.detach())


def opening():
    torch.manual_seed(1)
    trainer = Trainer()
    return trainer.learn, lambda: trainer.losses.item(), ROUNDS


run_case(None, opening)
