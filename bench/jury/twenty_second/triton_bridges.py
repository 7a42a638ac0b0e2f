"""Finds out how much a bridge has suffered: each round takes four million readings of each of 64 sensors, evens them
out by how far they scatter, takes away what changes slowly, counts how often the rest rises through each of eight
levels, and adds up the wear of each sensor."""
import torch
import triton
import triton.language as tl

from case import run_case

SENSORS, LENGTH, LEVELS, SLOW, TILE, SETS, ROUNDS = 64, 1 << 22, 8, 64, 4096, 3, 1900
TILES = LENGTH // TILE


@triton.jit
def gauge(readings, sums, squares, LENGTH: tl.constexpr, PARTS: tl.constexpr, TILE: tl.constexpr):
    sensor, part, lanes = tl.program_id(0), tl.program_id(1), tl.arange(0, TILE)
    first = sensor * LENGTH + part * (LENGTH // PARTS)
    total, square = tl.zeros((TILE,), tl.float32), tl.zeros((TILE,), tl.float32)
    for start in range(0, LENGTH // PARTS, TILE):
        own = tl.load(readings + first + start + lanes)  # fault
        total += own
        square += own * own
    tl.store(sums + sensor * PARTS + part, tl.sum(total, 0))
    tl.store(squares + sensor * PARTS + part, tl.sum(square, 0))


@triton.jit
def settle(sums, squares, scales, LENGTH: tl.constexpr, PARTS: tl.constexpr):
    sensor, parts = tl.program_id(0), tl.arange(0, PARTS)
    mean = tl.sum(tl.load(sums + sensor * PARTS + parts), 0) / LENGTH
    spread = tl.sum(tl.load(squares + sensor * PARTS + parts), 0) / LENGTH - mean * mean
    tl.store(scales + sensor, tl.rsqrt(spread + 1e-6))


@triton.jit
def straighten(readings, scales, strain, LENGTH: tl.constexpr, SLOW: tl.constexpr, TILE: tl.constexpr):
    """What a reading differs by from those a while before and after it; ends are compared with themselves."""
    tile, sensor = tl.program_id(0), tl.program_id(1)
    places = tile * TILE + tl.arange(0, TILE)
    row = sensor * LENGTH
    own = tl.load(readings + row + places)
    before = tl.load(readings + row + (places - SLOW), mask=places >= SLOW, other=0.0)
    after = tl.load(readings + row + (places + SLOW), mask=places < LENGTH - SLOW, other=0.0)
    inner = (places >= SLOW) & (places < LENGTH - SLOW)
    slow = tl.where(inner, 0.5 * (before + after), own)
    tl.store(strain + row + places, ((own - slow) * tl.load(scales + sensor)).to(tl.bfloat16))


@triton.jit
def count(strain, rises, LENGTH: tl.constexpr, TILES: tl.constexpr, TILE: tl.constexpr, LEVELS: tl.constexpr):
    tile, sensor = tl.program_id(0), tl.program_id(1)
    places = tile * TILE + tl.arange(0, TILE)
    row = sensor * LENGTH
    own = tl.load(strain + row + places).to(tl.float32)
    after = tl.load(strain + row + (places + 1), mask=places < LENGTH - 1, other=-100.0).to(tl.float32)
    for number in tl.static_range(LEVELS):
        level = 0.4 * (number + 1)
        rising = ((own < level) & (after >= level)).to(tl.int32)
        tl.store(rises + (sensor * LEVELS + number) * TILES + tile, tl.sum(rising, 0))


@triton.jit
def wear_down(rises, wear, TILES: tl.constexpr, LEVELS: tl.constexpr):
    sensor, tiles = tl.program_id(0), tl.arange(0, TILES)
    added = 0.0
    for number in tl.static_range(LEVELS):
        often = tl.sum(tl.load(rises + (sensor * LEVELS + number) * TILES + tiles), 0).to(tl.float32)
        level = 0.4 * (number + 1)
        added += often * level * level * level * 1e-6
    tl.store(wear + sensor, tl.load(wear + sensor) + added)


def made_readings(*shape):
    """Lorries come and go slowly, and the bridge swings."""
    moments = torch.arange(LENGTH, device="cuda") * 1e-3
    readings = torch.randn(*shape, LENGTH, device="cuda")
    for number, row in enumerate(readings.view(-1, LENGTH)):
        row.add_(torch.sin(moments * (0.2 + 0.01 * number)), alpha=2.0).mul_(1.0 + 0.1 * (number % 7))
    return readings


class Bridge:
    def __init__(self, parts):
        self.parts, self.number = parts, 0
        self.readings = made_readings(SETS, SENSORS)
        with torch.device("cuda"):
            self.sums, self.squares = torch.empty(2, SENSORS, parts)
            self.scales, self.wear = torch.empty(SENSORS), torch.zeros(SENSORS)
            self.strain = torch.empty(SENSORS, LENGTH, dtype=torch.bfloat16)
            self.rises = torch.empty(SENSORS, LEVELS, TILES, dtype=torch.int32)

    def inspect(self):
        readings = self.readings[self.number % SETS]
        gauge[(SENSORS, self.parts)](  # fault
            readings, self.sums, self.squares, LENGTH=LENGTH, PARTS=self.parts, TILE=TILE, num_warps=8)
        settle[(SENSORS,)](self.sums, self.squares, self.scales, LENGTH=LENGTH, PARTS=self.parts, num_warps=1)
        straighten[(TILES, SENSORS)](
            readings, self.scales, self.strain, LENGTH=LENGTH, SLOW=SLOW, TILE=TILE, num_warps=8)
        count[(TILES, SENSORS)](
            self.strain, self.rises, LENGTH=LENGTH, TILES=TILES, TILE=TILE, LEVELS=LEVELS, num_warps=8)
        wear_down[(SENSORS,)](self.rises, self.wear, TILES=TILES, LEVELS=LEVELS, num_warps=4)
        self.number += 1


def crossing(parts):
    torch.manual_seed(1)
    bridge = Bridge(parts)
    return bridge.inspect, lambda: bridge.wear.sum().item(), ROUNDS


run_case(lambda: crossing(1), lambda: crossing(64))
