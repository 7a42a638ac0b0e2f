"""Lets frost grow on a window of 8192 x 8192 points: each round, ice grows where water is cold and ice is near, which
sets heat free, and heat spreads, which is found for the whole step by Fourier transforms.

At fault: how the ice grows is written as operations on whole arrays, so 15 kernels read and write temporary arrays of
268 MB each for what one kernel could keep in registers; write it as one elementwise kernel.
The pattern is that of cupy/cupy, pull request 3312 (windows of three kinds as one elementwise kernel each, up to 20
times as fast as operations on arrays), and scverse/rapids-singlecell, pull request 159: operations on arrays replaced
by an elementwise kernel."""
import cupy as cp
from cupyx.scipy import fft

from case import run_case

SIDE, SEEDS, STEP, WIDE, STEEP, DRIVE, LATENT, SPREAD, ROUNDS = 8192, 2400, 0.1, 1.2, 10.0, 0.28, 1.4, 0.6, 1300

NEAR = f"""
    const unsigned side = {SIDE}, row = i / side, column = i % side;
    const unsigned above = (row + side - 1) % side * side, below = (row + 1) % side * side;
    const unsigned left = row * side + (column + side - 1) % side, right = row * side + (column + 1) % side;
    const float bend = ice[above + column] + ice[below + column] + ice[left] + ice[right] - 4.0f * ice[i];
"""

curve = cp.ElementwiseKernel("raw float32 ice", "float32 bent", NEAR + "bent = bend;", "curve")

freeze = cp.ElementwiseKernel(
    "raw float32 ice, float32 heat, float32 step, float32 wide, float32 steep, float32 drive, float32 latent",
    "float32 grown, float32 warmed", NEAR + """
    const float own = ice[i];
    const float push = own - 0.5f + drive * atanf(steep * (1.0f - heat));
    const float change = step * (wide * bend + own * (1.0f - own) * push);
    grown = own + change;
    warmed = heat + latent * change;
""", "freeze")


def made_ice():
    """Grains of ice, each 16 x 16 points."""
    random, ice = cp.random.RandomState(1), cp.zeros((SIDE, SIDE), cp.float32)
    for row, column in random.randint(0, SIDE - 16, (SEEDS, 2)).get().tolist():
        ice[row:row + 16, column:column + 16] = 1
    return ice


def made_fading():
    """By how much waves of heat fade in a step, divided by the number of points."""
    down = 2 - 2 * cp.cos(2 * cp.pi * cp.arange(SIDE) / SIDE)
    along = 2 - 2 * cp.cos(2 * cp.pi * cp.arange(SIDE // 2 + 1) / SIDE)
    return (cp.exp(-SPREAD * (down[:, None] + along)) / SIDE ** 2).astype(cp.float32)


class Window:
    def __init__(self):
        self.ice, self.heat, self.fading = made_ice(), cp.zeros((SIDE, SIDE), cp.float32), made_fading()
        self.other = cp.empty_like(self.ice)

    def grow(self):
        raise NotImplementedError

    def step(self):
        self.grow()  # fault
        waves = fft.rfft2(self.heat)
        waves *= self.fading
        self.heat = fft.irfft2(waves, norm="forward", overwrite_x=True)

    def total(self):
        return self.ice.sum(dtype=cp.float64) + self.heat.sum(dtype=cp.float64)


class WindowOfArrays(Window):
    def grow(self):
        ice, heat = self.ice, self.heat
        curve(ice, self.other)  # fault
        push = DRIVE * cp.arctan(STEEP * (1 - heat))  # fault
        push += ice - 0.5  # fault
        push *= ice * (1 - ice)  # fault
        push += WIDE * self.other  # fault
        push *= STEP  # fault
        ice += push  # fault
        heat += LATENT * push  # fault


class WindowOfPoints(Window):
    def grow(self):
        freeze(self.ice, self.heat, STEP, WIDE, STEEP, DRIVE, LATENT, self.other, self.heat)
        self.ice, self.other = self.other, self.ice


def freezing(kind):
    window = kind()
    return window.step, window.total, ROUNDS


run_case(lambda: freezing(WindowOfArrays), lambda: freezing(WindowOfPoints))
