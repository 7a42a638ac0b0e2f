"""Trains an autoencoder on 256 pictures of 196 patches a step, of which it sees 49.

Nothing is wrong: rows of 1024 values are picked by the order of random numbers on the device, so lanes still read side by
side.
The pattern is that of facebookresearch/mae, models_mae.py, with fewer layers."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

PICTURES, PATCHES, SEEN, PIXELS, WIDTH, HEADS, LAYERS, ROUNDS = 256, 196, 49, 768, 1024, 16, 4, 100


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.inward, self.outward = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, hidden):
        count = hidden.shape[1]
        parts = self.inward(self.first(hidden)).view(PICTURES, count, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        found = functional.scaled_dot_product_attention(parts[0], parts[1], parts[2])
        hidden = hidden + self.outward(found.transpose(1, 2).reshape(PICTURES, count, WIDTH))
        return hidden + self.down(functional.gelu(self.up(self.second(hidden))))


class Coder(nn.Module):
    def __init__(self):
        super().__init__()
        self.inward, self.outward = nn.Linear(PIXELS, WIDTH), nn.Linear(WIDTH, PIXELS)
        self.encoder, self.decoder = nn.Sequential(*(Layer() for _ in range(LAYERS))), Layer()
        self.places, self.missing = nn.Parameter(torch.randn(PATCHES, WIDTH) / 8), nn.Parameter(torch.randn(1, 1, WIDTH) / 8)

    def forward(self, patches):
        order = torch.rand(PICTURES, PATCHES, device=patches.device).argsort(1)
        back, kept = order.argsort(1)[:, :, None], order[:, :SEEN, None]
        hidden = self.inward(patches) + self.places
        seen = self.encoder(hidden.gather(1, kept.expand(-1, -1, WIDTH)))
        whole = torch.cat([seen, self.missing.expand(PICTURES, PATCHES - SEEN, WIDTH)], 1)
        whole = whole.gather(1, back.expand(-1, -1, WIDTH)) + self.places
        errors = (self.outward(self.decoder(whole)) - patches).float().square().mean(2)
        hidden_ones = (back[:, :, 0] >= SEEN).float()
        return (errors * hidden_ones).sum() / hidden_ones.sum()


def training():
    torch.manual_seed(1)
    model = Coder().to("cuda", torch.bfloat16)
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    patches, last = torch.randn(PICTURES, PATCHES, PIXELS, device="cuda").bfloat16(), [None]

    def one_round():
        loss = model(patches)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        last[0] = loss.detach()

    return one_round, lambda: last[0].item(), ROUNDS


run_case(None, training)
