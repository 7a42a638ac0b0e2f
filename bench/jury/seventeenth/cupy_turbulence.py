"""Follows turbulence in two dimensions: the vorticity of 4096 x 4096 points is stepped by Fourier transforms and Heun's method,
where small eddies are damped exactly in each step.

At fault: the table of what is left of each wave after a step was made by NumPy and stays on the host, so each step copies the
same 34 MB to the GPU before it can use them; copy the table once.
The pattern is that of wheelerMT/pygpe, pull request 18 (no more asarray around what can lie on the device), and cupy/cupy, issue
7016, a question about an array that never changes and shall be copied to the GPU only once, not in each turn of a loop."""
import cupy as cp
import numpy as np
from cupyx.scipy import fft

from case import run_case

POINTS, STEP, LOSS, ROUNDS = 4096, 2e-3, 1e-20, 900
WAVES = POINTS // 2 + 1

# Velocities and slopes of the vorticity, as waves.
differentiate = cp.ElementwiseKernel(
    "complex64 w, float32 x, float32 y", "complex64 u, complex64 v, complex64 wx, complex64 wy",
    """
    float square = x * x + y * y, inverse = square > 0 ? 1 / square : 0;
    complex<float> turned(-w.imag(), w.real());
    u = turned * (y * inverse);
    v = turned * (-x * inverse);
    wx = turned * x;
    wy = turned * y;
    """, "differentiate")

carry = cp.ElementwiseKernel("float32 u, float32 v, float32 wx, float32 wy", "float32 change",
                             "change = -(u * wx + v * wy)", "carry")

first_stage = cp.ElementwiseKernel("complex64 w, complex64 change, float32 left, float32 step", "complex64 next",
                                   "next = (w + change * step) * left", "first_stage")

second_stage = cp.ElementwiseKernel(
    "complex64 first, complex64 second, float32 left, float32 step", "complex64 w",
    "w = (w + first * (step / 2)) * left + second * (step / 2)", "second_stage")


def wave_numbers():
    return np.arange(WAVES, dtype=np.float32), np.fft.fftfreq(POINTS, 1 / POINTS).astype(np.float32)[:, None]


def made_table():
    """What is left of each wave after a step; waves that are too short for the grid's products go."""
    x, y = wave_numbers()
    left = np.exp(-LOSS * STEP * (x * x + y * y) ** 4)
    left[(np.abs(x) > POINTS / 3) | (np.abs(y) > POINTS / 3)] = 0
    return left.astype(np.float32)


class Flow:
    def __init__(self):
        self.x, self.y = map(cp.asarray, wave_numbers())
        random = cp.random.RandomState(1)
        noise = fft.rfft2(random.standard_normal((POINTS, POINTS), dtype=cp.float32), norm="forward")
        self.waves = (noise * 60 * cp.exp(-((cp.hypot(self.x, self.y) - 20) / 10) ** 2)).astype(cp.complex64)
        self.next = cp.empty_like(self.waves)
        self.parts = cp.empty((4, POINTS, WAVES), cp.complex64)

    def change(self, waves):
        differentiate(waves, self.x, self.y, *self.parts)
        there = fft.irfft2(self.parts, s=(POINTS, POINTS), norm="forward", overwrite_x=True)
        return fft.rfft2(carry(*there))

    def step(self, left):
        scale = np.float32(STEP / POINTS ** 2)  # of the transform, too
        first = self.change(self.waves)
        first_stage(self.waves, first, left, scale, self.next)
        second_stage(first, self.change(self.next), left, scale, self.waves)


def on_host(table):
    return table


def on_device(table):
    return cp.asarray(table)


def flowing(place):
    flow, table = Flow(), place(made_table())

    def one_round():
        flow.step(cp.asarray(table))  # fault

    def total():
        return cp.square(cp.abs(flow.waves)).sum(dtype=cp.float64)

    return one_round, total, ROUNDS


run_case(lambda: flowing(on_host), lambda: flowing(on_device))
