"""Trains a small GPT: bf16, fused attention, foreach AdamW, and the loss read after each step. With --ranks it is one of
torchrun's processes, and gradients are averaged over them.

Planted: noise for each step comes from pageable memory (T01); a table is copied in each step though it never changes (T07), and
every block adds it transposed (G01, line `skew`)."""
import argparse

import torch
import torch.distributed
import torch.nn as nn
import torch.nn.functional as F

from steady import steady

VOCABULARY, WIDTH, DEPTH, HEADS, LENGTH, BATCH = 8192, 512, 6, 8, 512, 8


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.before, self.between = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.wide, self.narrow = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x, skew):
        q, k, v = self.qkv(self.before(x)).view(BATCH, LENGTH, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        attended = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(attended.transpose(1, 2).reshape(BATCH, LENGTH, WIDTH))
        x = x + self.narrow(F.gelu(self.wide(self.between(x))))
        return x + skew.t()  # planted: neighbouring lanes read down a column


class Gpt(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.places = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.blocks = nn.ModuleList([Block() for _ in range(DEPTH)])
        self.last, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, VOCABULARY)

    def forward(self, ids, noise, skew):
        x = self.tokens(ids) + self.places.weight + 0.01 * noise
        for block in self.blocks:
            x = block(x, skew)
        return self.head(self.last(x))


def train(model, steps, data, device):
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, foreach=True)
    table = torch.randn(4, WIDTH, LENGTH) * 0.01
    noise = torch.randn(16, BATCH, LENGTH, WIDTH).half()

    def step(number):
        batch = data[number % len(data)].to(device)
        noise_now = noise[number % len(noise)].to(device)  # planted: pageable
        skew = table.to(device)[0]  # planted: the same each time
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", torch.bfloat16):
            loss = F.cross_entropy(model(batch[:, :-1], noise_now, skew).flatten(0, 1), batch[:, 1:].flatten())
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss.item()

    for number in range(5):
        loss = step(number)
    for number in steady(steps, torch.cuda.synchronize):
        loss = step(number)
    return loss


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("steps", type=int)
    parser.add_argument("--ranks", action="store_true")
    chosen = parser.parse_args()
    rank = 0
    if chosen.ranks:
        torch.distributed.init_process_group("nccl")
        rank = torch.distributed.get_rank()
        torch.cuda.set_device(rank)
    torch.manual_seed(rank)
    device = torch.device("cuda", rank)
    model = Gpt().to(device)
    if chosen.ranks:
        model = nn.parallel.DistributedDataParallel(model, device_ids=[rank])
    loss = train(model, chosen.steps, torch.randint(0, VOCABULARY, (64, BATCH, LENGTH + 1)), device)
    if rank == 0:
        print(f"loss {loss:.1f}")
    if chosen.ranks:
        torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
