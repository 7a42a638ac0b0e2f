"""Compresses 4096 echoes of a radar, 8192 samples each, by the spectrum of the pulse.

Nothing is wrong: transforms of contiguous rows by the library, and kernels that read and write all values in order.
The pattern is that of pulse_compression in rapidsai/cusignal, python/cusignal/radartools/radartools.py."""
import cupy

from case import run_case

ECHOES, SAMPLES, PULSE, ROUNDS = 4096, 8192, 512, 300

matched = cupy.ElementwiseKernel("complex64 value, complex64 pulse", "complex64 out", "out = value * conj(pulse)", "matched")
strength = cupy.ElementwiseKernel(
    "complex64 value", "float32 out", "out = value.real() * value.real() + value.imag() * value.imag()", "strength_of_echo")


def compressed():
    number = cupy.arange(ECHOES * SAMPLES, dtype=cupy.uint32)
    phase = ((number * cupy.uint32(2654435761)) >> cupy.uint32(8)).astype(cupy.float32) * cupy.float32(6.2831853 / (1 << 24))
    echoes = (cupy.cos(phase) + 1j * cupy.sin(phase)).astype(cupy.complex64).reshape(ECHOES, SAMPLES)
    time = cupy.arange(SAMPLES, dtype=cupy.float32)
    chirp = cupy.exp(1j * (time * time * cupy.float32(3.1415927 / PULSE))) * (time < PULSE)
    pulse = cupy.fft.fft(chirp.astype(cupy.complex64))
    strengths = cupy.empty((ECHOES, SAMPLES), dtype=cupy.float32)

    def one_round():
        spectra = cupy.fft.fft(echoes, axis=1)
        matched(spectra, pulse, spectra)
        strength(cupy.fft.ifft(spectra, axis=1), strengths)

    return one_round, lambda: float(strengths.astype(cupy.float64).sum()), ROUNDS


run_case(None, compressed)
