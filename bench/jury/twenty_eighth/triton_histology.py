"""Makes stained slices of tissue look alike: each round, six batches of 32 tiles of 1024 x 1024 points are parted into
the two stains that they hold, made sharper, and coloured as if both stains came from the same bottle. How strong the
stains of a tile are follows from its mean. Small pictures of the tiles are made for the eye."""
import torch
import triton
import triton.language as tl

from case import run_case

TILES, COLOURS, STAINS, POINTS, SETS, BATCHES, CHUNK, THUMB, ROUNDS = 32, 3, 2, 1024, 4, 6, 1024, 16, 700
PLACES, SHARP, STRENGTH = POINTS * POINTS, 0.6, (0.32, 0.24)
CHUNKS = PLACES // CHUNK
LIGHT, SWING = (190, 120, 170), (30, 50, 25)
# How much of red, green and blue each stain takes away, and the inverse of that.
TAKEN = ((0.65, 0.70, 0.29), (0.07, 0.99, 0.11))
PARTED = tuple(map(tuple, torch.linalg.pinv(torch.tensor(TAKEN)).T.tolist()))


@triton.jit
def density(tiles, place, lamp):
    return -tl.log((tl.load(tiles + place).to(tl.float32) + 1.0) * lamp)


@triton.jit
def part_stains(tiles, planes, sums, lamp, R0: tl.constexpr, G0: tl.constexpr, B0: tl.constexpr, R1: tl.constexpr,
                G1: tl.constexpr, B1: tl.constexpr, PLACES: tl.constexpr, CHUNK: tl.constexpr):
    """A program has a part of a tile; the sums of both stains in it are kept, too."""
    tile, chunk = tl.program_id(1), tl.program_id(0)
    places = chunk * CHUNK + tl.arange(0, CHUNK)
    from_tile = tiles + tile * 3 * PLACES
    red, green = density(from_tile, places, lamp), density(from_tile, places + PLACES, lamp)
    blue = density(from_tile, places + 2 * PLACES, lamp)
    one = tl.maximum(R0 * red + G0 * green + B0 * blue, 0.0)
    other = tl.maximum(R1 * red + G1 * green + B1 * blue, 0.0)
    to_tile = planes + tile * 2 * PLACES + places
    tl.store(to_tile, one)
    tl.store(to_tile + PLACES, other)
    out = sums + tile * 2 * tl.num_programs(0) + chunk
    tl.store(out, tl.sum(one, 0))
    tl.store(out + tl.num_programs(0), tl.sum(other, 0))


@triton.jit
def row_of(plane, row, columns, POINTS: tl.constexpr):
    """A row smoothed along itself; what is beyond the edge is like the edge."""
    begin = plane + tl.minimum(tl.maximum(row, 0), POINTS - 1) * POINTS
    left, right = tl.maximum(columns - 1, 0), tl.minimum(columns + 1, POINTS - 1)
    return 0.5 * tl.load(begin + columns) + 0.25 * (tl.load(begin + left) + tl.load(begin + right))


@triton.jit
def smooth(planes, smoothed, POINTS: tl.constexpr, ROWS: tl.constexpr):
    """A program has some rows of a plane, from above to below."""
    plane, first = tl.program_id(1) * POINTS * POINTS, tl.program_id(0) * ROWS
    columns = tl.arange(0, POINTS)
    above = row_of(planes + plane, first - 1, columns, POINTS)
    here = row_of(planes + plane, first, columns, POINTS)
    for row in range(first, first + ROWS):
        below = row_of(planes + plane, row + 1, columns, POINTS)
        tl.store(smoothed + plane + row * POINTS + columns, 0.5 * here + 0.25 * (above + below))
        above = here
        here = below


@triton.jit
def stain(planes, smoothed, gains, tiles, SHARP: tl.constexpr, R0: tl.constexpr, G0: tl.constexpr, B0: tl.constexpr,
          R1: tl.constexpr, G1: tl.constexpr, B1: tl.constexpr, PLACES: tl.constexpr, CHUNK: tl.constexpr):
    """A program has a part of a tile, as in `part_stains`."""
    tile = tl.program_id(1)
    places = tl.program_id(0) * CHUNK + tl.arange(0, CHUNK)
    begin = tile * 2 * PLACES + places
    one, other = tl.load(planes + begin), tl.load(planes + begin + PLACES)
    one += SHARP * (one - tl.load(smoothed + begin))
    other += SHARP * (other - tl.load(smoothed + begin + PLACES))
    one = tl.maximum(one, 0.0) * tl.load(gains + tile * 2)
    other = tl.maximum(other, 0.0) * tl.load(gains + tile * 2 + 1)
    out = tiles + tile * 3 * PLACES + places
    tl.store(out, (255.0 * tl.exp(-R0 * one - R1 * other)).to(tl.uint8))
    tl.store(out + PLACES, (255.0 * tl.exp(-G0 * one - G1 * other)).to(tl.uint8))
    tl.store(out + 2 * PLACES, (255.0 * tl.exp(-B0 * one - B1 * other)).to(tl.uint8))


def names(matrix):
    return {name + str(row): matrix[row][column] for row in range(STAINS) for column, name in enumerate("RGB")}


class Bench:
    """Where the pictures of a batch come from and go to; `new` makes the memory for what is worked out."""
    def __init__(self, new):
        self.new, self.number = new, 0
        places = torch.arange(POINTS, device="cuda") / POINTS
        across, down = 6.28 * places, 6.28 * places[:, None]
        self.slides = torch.empty(SETS, TILES, COLOURS, POINTS, POINTS, dtype=torch.uint8, device="cuda")
        for number, tile in enumerate(self.slides.view(-1, COLOURS, POINTS, POINTS)):
            cells = torch.sin((3 + number % 7) * across + torch.sin(4 * down)) * torch.sin((5 + number % 5) * down)
            for colour, own in enumerate(tile):
                noise = 8 * torch.randn(POINTS, POINTS, device="cuda")
                own.copy_((LIGHT[colour] + SWING[colour] * cells + noise).clamp_(2, 250))
        self.strength = torch.tensor(STRENGTH, device="cuda")
        self.seen = torch.zeros(COLOURS, device="cuda")

    def normalise(self, tiles, lamp):
        planes = self.new((TILES, STAINS, POINTS, POINTS), dtype=torch.float32, device="cuda")  # fault
        sums = torch.empty((TILES, STAINS, CHUNKS), dtype=torch.float32, device="cuda")
        part_stains[(CHUNKS, TILES)](tiles, planes, sums, lamp, **names(PARTED), PLACES=PLACES, CHUNK=CHUNK)
        gains = self.strength / (sums.sum(2) / PLACES + 0.01)
        smoothed = self.new((TILES, STAINS, POINTS, POINTS), dtype=torch.float32, device="cuda")  # fault
        smooth[(POINTS // 16, TILES * STAINS)](planes, smoothed, POINTS=POINTS, ROWS=16, num_warps=8)
        alike = self.new((TILES, COLOURS, POINTS, POINTS), dtype=torch.uint8, device="cuda")  # fault
        stain[(CHUNKS, TILES)](planes, smoothed, gains, alike, SHARP=SHARP, **names(TAKEN), PLACES=PLACES, CHUNK=CHUNK)
        return alike

    def work(self):
        for batch in range(BATCHES):
            lamp = (1 + 0.02 * ((self.number + batch) % 9)) / 280
            alike = self.normalise(self.slides[(self.number + batch) % SETS], lamp)  # fault
            thumbs = alike[:, :, THUMB // 2::THUMB, THUMB // 2::THUMB].float()
            self.seen.add_(thumbs.mean((0, 2, 3)))
        self.number += 1

    def total(self):
        return (self.seen.sum() / BATCHES).item()


def staining(new):
    torch.manual_seed(1)
    bench = Bench(new)
    return bench.work, bench.total, ROUNDS


run_case(lambda: staining(torch.zeros), lambda: staining(torch.empty))
