"""Takes noise out of what hearing aids hear: each round, 16 pieces of sound become frames, which 16 blocks of a network
in bfloat16 look at along longer and longer times. A mask says what of a frame is speech. Channels lie one after the
other, each with all its frames. Products are those of the library; norms of frames and filters along time are kernels
of Triton. How loud speech and noise are is kept."""
import torch
import triton
import triton.language as tl

from case import run_case

AIDS, FRAMES, HOP, SETS, ROUNDS = 16, 4096, 32, 5, 540
WIDTH, INNER, BLOCKS, DEEP, TAPS, CHUNK, SMALL = 256, 512, 16, 8, 3, 1024, 1e-5
SHORT = torch.bfloat16


@triton.jit
def norm_frame(state, gain, shift, normal, FRAMES: tl.constexpr, WIDTH: tl.constexpr, SMALL: tl.constexpr):
    """A program has a frame."""
    frame, aid = tl.program_id(0), tl.program_id(1)
    channels = tl.arange(0, WIDTH)
    places = aid * (WIDTH * FRAMES) + channels * FRAMES + frame
    value = tl.load(state + places).to(tl.float32)  # fault
    value -= tl.sum(value, 0) / WIDTH
    value *= tl.rsqrt(tl.sum(value * value, 0) / WIDTH + SMALL)
    value = value * tl.load(gain + channels) + tl.load(shift + channels)
    tl.store(normal + places, value.to(tl.bfloat16))  # fault


@triton.jit
def norm_tile(state, gain, shift, normal, FRAMES: tl.constexpr, WIDTH: tl.constexpr, SMALL: tl.constexpr,
              TILE: tl.constexpr):
    """A program has some frames that follow each other."""
    frames, aid = tl.program_id(0) * TILE + tl.arange(0, TILE), tl.program_id(1)
    channels = tl.arange(0, WIDTH)
    places = aid * (WIDTH * FRAMES) + channels[:, None] * FRAMES + frames[None, :]
    value = tl.load(state + places).to(tl.float32)
    value -= (tl.sum(value, 0) / WIDTH)[None, :]
    value *= tl.rsqrt(tl.sum(value * value, 0) / WIDTH + SMALL)[None, :]
    value = value * tl.load(gain + channels)[:, None] + tl.load(shift + channels)[:, None]
    tl.store(normal + places, value.to(tl.bfloat16))


@triton.jit
def filter_time(inner, taps, biases, out, APART: tl.constexpr, FRAMES: tl.constexpr, INNER: tl.constexpr,
                CHUNK: tl.constexpr):
    """A program has a part of a channel: three frames that lie apart are weighed; less than 0 is made small."""
    frames, row = tl.program_id(0) * CHUNK + tl.arange(0, CHUNK), tl.program_id(1)
    channel, begin = row % INNER, inner + row * FRAMES
    here = tl.load(begin + frames).to(tl.float32)
    before = tl.load(begin + frames - APART, mask=frames >= APART, other=0.0).to(tl.float32)
    after = tl.load(begin + frames + APART, mask=frames + APART < FRAMES, other=0.0).to(tl.float32)
    value = before * tl.load(taps + channel * 3) + here * tl.load(taps + channel * 3 + 1)
    value += after * tl.load(taps + channel * 3 + 2) + tl.load(biases + channel)
    tl.store(out + row * FRAMES + frames, tl.where(value > 0, value, 0.2 * value).to(tl.bfloat16))


def normed_by_frames(state, gain, shift, normal):
    norm_frame[(FRAMES, AIDS)](state, gain, shift, normal, FRAMES=FRAMES, WIDTH=WIDTH, SMALL=SMALL)  # fault


def normed_by_tiles(state, gain, shift, normal):
    norm_tile[(FRAMES // 64, AIDS)](state, gain, shift, normal, FRAMES=FRAMES, WIDTH=WIDTH, SMALL=SMALL, TILE=64,
                                    num_warps=8)


def matrix(outputs, inputs, scale=1.0):
    """The same weights for all hearing aids."""
    weights = torch.randn(outputs, inputs, device="cuda") * (scale * inputs ** -0.5)
    return weights.to(SHORT).expand(AIDS, -1, -1)


class Block:
    def __init__(self, number):
        self.apart = 2 ** (number % DEEP)
        self.up, self.down = matrix(INNER, WIDTH), matrix(WIDTH, INNER, 0.5)
        self.gain = 1 + 0.1 * torch.randn(WIDTH, device="cuda")
        self.shift, self.biases = 0.1 * torch.randn(WIDTH, device="cuda"), 0.1 * torch.randn(INNER, device="cuda")
        self.taps = 0.6 * torch.randn(INNER, TAPS, device="cuda")

    def add(self, state, normed):
        normal, filtered = torch.empty_like(state), torch.empty(AIDS, INNER, FRAMES, device="cuda", dtype=SHORT)
        normed(state, self.gain, self.shift, normal)  # fault
        inner = torch.bmm(self.up, normal)
        filter_time[(FRAMES // CHUNK, AIDS * INNER)](inner, self.taps, self.biases, filtered, APART=self.apart,
                                                    FRAMES=FRAMES, INNER=INNER, CHUNK=CHUNK)
        state.baddbmm_(self.down, filtered)


class Clinic:
    def __init__(self, normed):
        self.normed, self.number = normed, 0
        self.encode, self.mask, self.decode = matrix(WIDTH, HOP), matrix(WIDTH, WIDTH), matrix(HOP, WIDTH)
        self.blocks = [Block(number) for number in range(BLOCKS)]
        times = torch.arange(FRAMES * HOP, device="cuda") / 16000
        pitch = 100 + 150 * torch.rand(SETS, AIDS, 1, device="cuda")
        syllables = torch.sin(6.28 * times * (2 + 3 * torch.rand(SETS, AIDS, 1, device="cuda"))).clamp_(0)
        self.speech = syllables * torch.sin(6.28 * pitch * times + 2 * torch.sin(12 * times))
        self.noise = 0.5 * torch.randn(AIDS, FRAMES * HOP, device="cuda")
        self.kept, self.lost = torch.zeros(AIDS, device="cuda"), torch.zeros(AIDS, device="cuda")

    @torch.inference_mode()
    def listen(self):
        loud = 0.3 + 0.1 * (self.number % 9)
        heard = torch.add(self.speech[self.number % SETS], self.noise, alpha=loud)
        frames = torch.bmm(self.encode, heard.view(AIDS, FRAMES, HOP).transpose(1, 2).to(SHORT)).relu_()
        state = frames.clone()
        for block in self.blocks:
            block.add(state, self.normed)  # fault
        mask = torch.bmm(self.mask, state).sigmoid_()
        clear = torch.bmm(self.decode, mask.mul_(frames)).float()
        self.kept.add_(clear.square().mean((1, 2)))
        self.lost.add_((clear - heard.view(AIDS, FRAMES, HOP).transpose(1, 2)).square().mean((1, 2)))
        self.number += 1

    def total(self):
        return ((self.kept + self.lost).mean() / ROUNDS).item()


def wearing(normed):
    torch.manual_seed(1)
    clinic = Clinic(normed)
    return clinic.listen, clinic.total, ROUNDS


run_case(lambda: wearing(normed_by_frames), lambda: wearing(normed_by_tiles))
