"""The next token of 1024 texts in 16 layers: a convolution over four tokens, three of which are kept from before.

At fault: the kept values of a channel lie side by side, so lanes load and store 2 bytes at strides of 6, three times.
The pattern is that of NVIDIA/TensorRT-LLM, pull request 18838, where a packed kernel is 1.3 times as fast. Here a plane
of the kept values has one token for all channels, as in vllm-project/vllm, where channels are neighbours."""
import torch
import triton
import triton.language as tl

from case import run_case

TEXTS, CHANNELS, LAYERS, TAPS, BLOCK, ROUNDS = 1024, 8192, 16, 3, 1024, 1800


@triton.jit
def update(out, kept, tokens, weights, CHANNELS: tl.constexpr, APART: tl.constexpr, PLANE: tl.constexpr,
           BLOCK: tl.constexpr):
    text = tl.program_id(0)
    channel = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    at = kept + text * 3 * CHANNELS + channel * APART
    first = tl.load(at)  # fault
    second = tl.load(at + PLANE)  # fault
    third = tl.load(at + 2 * PLANE)  # fault
    token = tl.load(tokens + text * CHANNELS + channel)
    total = first.to(tl.float32) * tl.load(weights + channel)
    total += second.to(tl.float32) * tl.load(weights + CHANNELS + channel)
    total += third.to(tl.float32) * tl.load(weights + 2 * CHANNELS + channel)
    total += token.to(tl.float32) * tl.load(weights + 3 * CHANNELS + channel)
    tl.store(out + text * CHANNELS + channel, (total * tl.sigmoid(total)).to(tl.bfloat16))
    tl.store(at, second)  # fault
    tl.store(at + PLANE, third)  # fault
    tl.store(at + 2 * PLANE, token)  # fault


def decoding(apart, plane):
    torch.manual_seed(1)
    tokens = torch.randn(LAYERS, TEXTS, CHANNELS, device="cuda").bfloat16()
    kept = torch.zeros(LAYERS, TEXTS, TAPS * CHANNELS, device="cuda", dtype=torch.bfloat16)
    weights = torch.randn(LAYERS, TAPS + 1, CHANNELS, device="cuda")
    layers = list(zip(kept.unbind(), tokens.unbind(), weights.unbind()))
    out = torch.empty(LAYERS, TEXTS, CHANNELS, device="cuda", dtype=torch.bfloat16).unbind()

    def one_round():
        for result, (own, token, weight) in zip(out, layers):
            update[(TEXTS, CHANNELS // BLOCK)](result, own, token, weight, CHANNELS=CHANNELS, APART=apart,  # fault
                                               PLANE=plane, BLOCK=BLOCK, num_warps=4)

    return one_round, lambda: sum(result.double().abs().sum().item() for result in out), ROUNDS


run_case(lambda: decoding(TAPS, 1), lambda: decoding(1, CHANNELS))
