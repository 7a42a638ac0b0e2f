"""Looks for a picture of 4096 x 4096 points, of whose spectrum only the magnitudes are known.

Nothing is wrong: transforms of whole pictures by the library, and one kernel after each of them.
The pattern is that of AdvancedPhotonSource/tike, src/tike/ptycho: magnitudes replaced between two transforms."""
import cupy

from case import run_case

SIDE, ROUNDS = 4096, 1200

replaced = cupy.ElementwiseKernel(
    "complex64 found, float32 magnitude", "complex64 out",
    "out = found * (magnitude / fmaxf(hypotf(found.real(), found.imag()), 1e-12f));", "replaced")
confined = cupy.ElementwiseKernel(
    "complex64 found, float32 support, float32 scale", "complex64 out",
    "out = complex<float>(fmaxf(found.real(), 0.0f) * support * scale, 0.0f);", "confined")


def searching():
    random = cupy.random.default_rng(1)
    row, column = cupy.ogrid[:SIDE, :SIDE]
    inside = (abs(row - SIDE // 2) < SIDE // 4) & (abs(column - SIDE // 2) < SIDE // 5)
    support = inside.astype(cupy.float32)
    truth = random.random((SIDE, SIDE), dtype=cupy.float32) * support
    magnitudes = cupy.abs(cupy.fft.fft2(truth.astype(cupy.complex64)))
    picture = [support.astype(cupy.complex64)]

    def one_round():
        spectrum = cupy.fft.fft2(picture[0])
        replaced(spectrum, magnitudes, spectrum)
        found = cupy.fft.ifft2(spectrum, norm="forward")
        confined(found, support, 1.0 / (SIDE * SIDE), found)
        picture[0] = found

    return one_round, lambda: float(picture[0].real.sum(dtype=cupy.float64)), ROUNDS


run_case(None, searching)
