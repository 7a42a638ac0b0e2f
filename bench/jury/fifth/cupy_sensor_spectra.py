"""Spectra of 4096 sensors, which deliver 16,384 samples each, all sensors of a moment side by side.

At fault: the windowed samples are copied sensor by sensor for the transform, by a kernel whose lanes read 16 KB apart.
The pattern is that of chainer/chainer, pull request 2049: such a copy by an elementwise kernel, and cupy.asfortranarray, which
calls a routine of the library for it, 23 times as fast then."""
import cupy

from case import run_case

MOMENTS, SENSORS, ROUNDS = 16384, 4096, 300

windowed = cupy.ElementwiseKernel("float32 sample, float32 weight", "float32 out", "out = sample * weight", "windowed")
powers_of = cupy.ElementwiseKernel(
    "complex64 value", "float32 out", "out = value.real() * value.real() + value.imag() * value.imag()", "powers_of_waves")


def made_samples():
    number = cupy.arange(MOMENTS * SENSORS, dtype=cupy.uint32)
    mixed = (number * cupy.uint32(2654435761)) ^ (number >> cupy.uint32(9))
    samples = ((mixed * cupy.uint32(2246822519)) >> cupy.uint32(12)).astype(cupy.float32) / cupy.float32(1 << 20)
    moment = cupy.arange(MOMENTS, dtype=cupy.float32).reshape(MOMENTS, 1)
    window = cupy.float32(0.5) - cupy.float32(0.5) * cupy.cos(moment * cupy.float32(6.2831853 / MOMENTS))
    return samples.reshape(MOMENTS, SENSORS), window.astype(cupy.float32)


def total_of(powers):
    return float(powers.astype(cupy.float64).sum())


def copied_by_lanes_far_apart():
    samples, window = made_samples()
    weighted, powers = cupy.empty_like(samples), cupy.empty((SENSORS, MOMENTS // 2 + 1), dtype=cupy.float32)

    def one_round():
        windowed(samples, window, weighted)
        by_sensor = cupy.ascontiguousarray(weighted.T)  # fault
        powers_of(cupy.fft.rfft(by_sensor, axis=1), powers)

    return one_round, lambda: total_of(powers), ROUNDS


def copied_by_the_library():
    samples, window = made_samples()
    weighted, powers = cupy.empty_like(samples), cupy.empty((SENSORS, MOMENTS // 2 + 1), dtype=cupy.float32)

    def one_round():
        windowed(samples, window, weighted)
        by_sensor = cupy.asfortranarray(weighted).T
        powers_of(cupy.fft.rfft(by_sensor, axis=1), powers)

    return one_round, lambda: total_of(powers), ROUNDS


run_case(copied_by_lanes_far_apart, copied_by_the_library)
