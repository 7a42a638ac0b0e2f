"""How strongly the phases of 64 channels of two people follow each other in 64 epochs, for a shuffled pairing of the epochs.

At fault: each call ends with free_all_blocks(), which frees the memory of all intermediate arrays, so that the next call
allocates it from the device again while the GPU idles.
The pattern is that of ppsp-team/HyPyP, issue 309: the call defeats the pool in a loop of surrogates, and shall go."""
import cupy

from case import run_case

EPOCHS, CHANNELS, SAMPLES, ROUNDS = 64, 64, 1024, 800

waves_of = cupy.ElementwiseKernel(
    "float32 phase, float32 sign", "complex64 wave", "wave = complex<float>(cos(phase), sign * sin(phase))", "waves_of")
strength_of = cupy.ElementwiseKernel(
    "complex64 sum", "float32 out", f"out = sqrt(sum.real() * sum.real() + sum.imag() * sum.imag()) / {SAMPLES}.0f",
    "strength_of_coupling")


def made_noise(seed):
    number = cupy.arange(EPOCHS * CHANNELS * SAMPLES, dtype=cupy.uint32) + cupy.uint32(seed)
    mixed = (number * cupy.uint32(2654435761)) >> cupy.uint32(8)
    return mixed.astype(cupy.float32) * cupy.float32(3 / (1 << 24))


def made_phases():
    """Those of the one lie channel by channel, those of the other moment by moment."""
    drift = cupy.arange(SAMPLES, dtype=cupy.float32) * cupy.float32(0.1)
    one = made_noise(1).reshape(EPOCHS, CHANNELS, SAMPLES) + drift
    return one, made_noise(1 << 28).reshape(EPOCHS, SAMPLES, CHANNELS) + drift[:, None]


def coupling(one, other, shift):
    waves = waves_of(one, cupy.float32(1))
    others = waves_of(cupy.roll(other, shift, axis=0), cupy.float32(-1))
    return strength_of(cupy.matmul(waves, others))


def total_of(sums):
    return float(sums.astype(cupy.float64).sum())


def emptied():
    one, other = made_phases()
    sums, number = cupy.zeros((EPOCHS, CHANNELS, CHANNELS), dtype=cupy.float32), [0]

    def one_round():
        number[0] += 1
        cupy.add(sums, coupling(one, other, number[0] % EPOCHS), out=sums)
        cupy.get_default_memory_pool().free_all_blocks()  # fault

    return one_round, lambda: total_of(sums), ROUNDS


def kept():
    one, other = made_phases()
    sums, number = cupy.zeros((EPOCHS, CHANNELS, CHANNELS), dtype=cupy.float32), [0]

    def one_round():
        number[0] += 1
        cupy.add(sums, coupling(one, other, number[0] % EPOCHS), out=sums)

    return one_round, lambda: total_of(sums), ROUNDS


run_case(emptied, kept)
