"""Solves the equation of Poisson on a grid of 4096 x 4096 by Fourier transforms.

Nothing is wrong: the library's transforms and the product with the kernel go through memory in order.
What is computed is that of AMReX-Codes/amrex, whose pull request 4202 extends its solver by transforms."""
import cupy

from case import run_case

SIDE, ROUNDS = 4096, 400

divide = cupy.ElementwiseKernel("complex64 spectrum, float32 inverse", "complex64 out", "out = spectrum * inverse",
                                "divide_by_wave_numbers")


def solving():
    rows = cupy.fft.fftfreq(SIDE)[:, None]
    columns = cupy.fft.rfftfreq(SIDE)[None, :]
    squares = rows**2 + columns**2
    squares[0, 0] = 1
    inverse = (-1 / squares).astype(cupy.float32)
    inverse[0, 0] = 0
    source = (cupy.arange(SIDE * SIDE, dtype=cupy.uint32) * cupy.uint32(2654435761) >> cupy.uint32(8)).astype(cupy.float32)
    source = (source / (1 << 24)).reshape(SIDE, SIDE)
    potential = [None]

    def one_round():
        spectrum = cupy.fft.rfft2(source)
        divide(spectrum, inverse, spectrum)
        potential[0] = cupy.fft.irfft2(spectrum, s=(SIDE, SIDE))

    return one_round, lambda: float(cupy.abs(potential[0]).sum(dtype=cupy.float64)), ROUNDS


run_case(None, solving)
