"""Eight layers of a vision transformer for 64 images of 224 x 224 pixels.

Nothing is wrong: products, fused attention and norms of the library in one memory format.
The pattern is that of huggingface/pytorch-image-models, timm/models/vision_transformer.py."""
import torch
from torch import nn
from torch.nn import functional

from case import run_case

IMAGES, SIDE, PATCH, WIDTH, HEADS, LAYERS, ROUNDS = 64, 224, 16, 768, 12, 8, 60


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.mixed, self.joined = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, tokens):
        count = tokens.shape[1]
        query, key, value = (part.view(IMAGES, count, HEADS, -1).transpose(1, 2)
                             for part in self.mixed(self.first(tokens)).chunk(3, -1))
        seen = functional.scaled_dot_product_attention(query, key, value)
        tokens = tokens + self.joined(seen.transpose(1, 2).reshape(IMAGES, count, WIDTH))
        return tokens + self.down(functional.gelu(self.up(self.second(tokens))))


def seeing():
    torch.manual_seed(1)
    dtype = torch.bfloat16
    patches = torch.randn(IMAGES, (SIDE // PATCH)**2, 3 * PATCH * PATCH, device="cuda", dtype=dtype)
    model = nn.Sequential(nn.Linear(3 * PATCH * PATCH, WIDTH), *(Layer() for _ in range(LAYERS))).to("cuda", dtype)
    results = [None]

    def one_round():
        with torch.no_grad():
            results[0] = model(patches)

    return one_round, lambda: results[0].double().abs().sum().item(), ROUNDS


run_case(None, seeing)
