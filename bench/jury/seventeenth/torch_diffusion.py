"""Draws pictures by diffusion: a transformer of 8 blocks in bfloat16 takes noise away from 32 latent pictures of 256 patches, with
and without their subject in one batch (guidance); a round is one step of Euler's method, and after 25 steps new pictures begin.

Nothing is wrong: the levels of noise are numbers of the host, so no step waits for the GPU; weights and pictures stay in
bfloat16, shifts and gates are one operation each, and attention is the library's.
The pattern is that of AUTOMATIC1111/stable-diffusion-webui, pull request 15823, and huggingface/diffusers, pull request 6173:
levels of noise are kept on the CPU, so that the loop of sampling does not wait for the device."""
import torch
from torch import nn

from case import run_case

PICTURES, PATCHES, CHANNELS, HEADS, SIZE, BLOCKS, STEPS, GUIDANCE, ROUNDS = 32, 256, 16, 16, 128, 8, 25, 3.0, 150
WIDTH = HEADS * SIZE


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.first_norm, self.second_norm = (nn.LayerNorm(WIDTH, elementwise_affine=False) for _ in range(2))
        self.project, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
        self.change = nn.Linear(WIDTH, 6 * WIDTH)

    def forward(self, state, subject):
        shift, scale, gate, second_shift, second_scale, second_gate = self.change(subject)[:, None].chunk(6, 2)
        found = torch.addcmul(shift, self.first_norm(state), 1 + scale)
        heads = self.project(found).view(len(state), PATCHES, 3, HEADS, SIZE).transpose(1, 3)
        seen = nn.functional.scaled_dot_product_attention(*heads.unbind(2))
        state = torch.addcmul(state, gate, self.out(seen.transpose(1, 2).reshape(len(state), PATCHES, WIDTH)))
        found = torch.addcmul(second_shift, self.second_norm(state), 1 + second_scale)
        return torch.addcmul(state, second_gate, self.down(nn.functional.gelu(self.up(found), approximate="tanh")))


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.enter, self.leave = nn.Linear(CHANNELS, WIDTH), nn.Linear(WIDTH, CHANNELS)
        self.levels = nn.Sequential(nn.Linear(256, WIDTH), nn.SiLU(), nn.Linear(WIDTH, WIDTH))
        self.blocks, self.norm = nn.ModuleList(Block() for _ in range(BLOCKS)), nn.LayerNorm(WIDTH)
        self.places = nn.Parameter(0.02 * torch.randn(PATCHES, WIDTH))
        self.register_buffer("rates", torch.exp(-9.2 * torch.arange(128) / 128))

    def forward(self, pictures, level, subjects):
        angles = 1000 * level * self.rates
        subject = nn.functional.silu(subjects + self.levels(torch.cat((angles.cos(), angles.sin()))))
        state = self.enter(pictures) + self.places
        for block in self.blocks:
            state = block(state, subject)
        return self.leave(self.norm(state))


def drawing():
    torch.manual_seed(1)
    with torch.device("cuda"):
        network = Network().to(torch.bfloat16).eval()
        subjects = torch.randn(2 * PICTURES, WIDTH).mul_(0.1).to(torch.bfloat16)
        pictures, brightness = torch.empty(PICTURES, PATCHES, CHANNELS), torch.zeros(())
    subjects[PICTURES:] = 0
    levels, number = [1 - step / STEPS for step in range(STEPS + 1)], [0]

    @torch.no_grad()
    def one_round():
        step = number[0] % STEPS
        if step == 0:
            pictures.normal_()
        both = pictures.to(torch.bfloat16).repeat(2, 1, 1)
        with_subject, without = network(both, levels[step], subjects).float().chunk(2)
        pictures.add_(torch.lerp(without, with_subject, GUIDANCE), alpha=levels[step + 1] - levels[step])
        brightness.add_(pictures.square().mean())
        number[0] += 1

    return one_round, lambda: brightness.item(), ROUNDS


run_case(None, drawing)
