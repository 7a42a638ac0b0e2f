"""A layer of a transformer in bfloat16, forwards: normalisation, fused projections, attention, and a feed-forward network.

Nothing is wrong: the tensors are contiguous where the kernels want them so, and attention is the fused one.
The pattern is that of karpathy/nanoGPT, model.py."""
import torch
import torch.nn.functional as F

from case import run_case

BATCH, TOKENS, WIDTH, HEADS, ROUNDS = 16, 1024, 1024, 16, 240


def weights_of(*shape):
    return (torch.rand(*shape, device="cuda") - 0.5).mul_(2 / shape[-1] ** 0.5).bfloat16()


def layer():
    torch.manual_seed(1)
    x = torch.rand(BATCH, TOKENS, WIDTH, device="cuda").bfloat16()
    project, merge = weights_of(3 * WIDTH, WIDTH), weights_of(WIDTH, WIDTH)
    widen, narrow = weights_of(4 * WIDTH, WIDTH), weights_of(WIDTH, 4 * WIDTH)
    scale = torch.ones(WIDTH, device="cuda").bfloat16()
    results = [None]

    @torch.no_grad()
    def one_round():
        q, k, v = F.linear(F.layer_norm(x, (WIDTH,), scale), project).split(WIDTH, dim=2)
        q, k, v = (t.view(BATCH, TOKENS, HEADS, WIDTH // HEADS).transpose(1, 2) for t in (q, k, v))
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        y = x + F.linear(mixed.transpose(1, 2).reshape(BATCH, TOKENS, WIDTH), merge)
        results[0] = y + F.linear(F.gelu(F.linear(F.layer_norm(y, (WIDTH,), scale), widen)), narrow)

    return one_round, lambda: results[0].double().sum().item(), ROUNDS


run_case(None, layer)
