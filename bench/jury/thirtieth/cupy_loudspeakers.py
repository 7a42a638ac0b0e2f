"""Measures loudspeakers in a hall: each round, three of them have played a sweep that 64 microphones heard. A sweep
divided out of what was heard leaves the answer of the hall, which is cut off where only noise is left. From it follow
how fast sound dies away, how loud each band of tones is, and how alike the three loudspeakers are."""
import cupy as cp
import numpy as np
from cupyx.scipy import fft

from case import run_case

SPEAKERS, PLACES, SAMPLES, MOMENTS, BANDS, CHUNK, ROUNDS = 3, 64, 1 << 19, 1024, 512, 8, 600
RATE, SWEPT, LOW, HIGH, LEAST = 48000.0, 0.8, 30.0, 20000.0, 1e-3
TONES = SAMPLES // 2

divided = cp.ElementwiseKernel("complex64 heard, complex64 inverse, float32 gain", "complex64 answer",
                               "answer = heard * inverse * gain", "divided")

# A part of an answer: how much sound is in it.
energy = cp.ReductionKernel("float32 answer", "float32 total", "answer * answer", "a + b", "total = a", "0", "energy")
loudness = cp.ReductionKernel("complex64 tone", "float32 total", "norm(tone)", "a + b", "total = a", "0", "loudness")

# How far three loudspeakers agree in a band: one where they are the same.
alike = cp.ReductionKernel("complex64 left, complex64 middle, complex64 right", "float32 total",
                           "norm(left + middle + right) / "
                           f"(3.0f * (norm(left) + norm(middle) + norm(right)) + {LEAST}f)",
                           "a + b", f"total = a / {TONES // BANDS}.0f", "0", "alike")


def sweep():
    """A tone that rises for most of the time, with soft ends."""
    times = cp.arange(SAMPLES, dtype=cp.float64) / SAMPLES / SWEPT
    octaves = np.log(HIGH / LOW)
    angle = 2 * np.pi * LOW * SAMPLES * SWEPT / RATE / octaves * (cp.exp(cp.minimum(times, 1) * octaves) - 1)
    ends = cp.clip(40 * times, 0, 1) * cp.clip(40 * (1 - times), 0, 1)
    return (ends * cp.sin(angle)).astype(cp.float32)


class Hall:
    def __init__(self):
        cp.random.seed(1)
        spectrum = fft.rfft(sweep())
        power = cp.abs(spectrum) ** 2
        self.inverse = (spectrum.conj() / (power + 1e-3 * power.max()))[None].astype(cp.complex64)
        self.heard = cp.empty((SPEAKERS, PLACES, SAMPLES), cp.float32)
        self.times = cp.arange(SAMPLES, dtype=cp.float32) / np.float32(RATE)
        for own in self.heard.reshape(-1, CHUNK, SAMPLES):
            self.play(own, spectrum)
        # Each moment has what comes after it, too.
        self.after = cp.tri(MOMENTS, dtype=cp.float32)
        middle = cp.arange(MOMENTS, dtype=cp.float32) - np.float32((MOMENTS - 1) / 2)
        self.fit = middle / (middle * middle).sum()
        self.decays, self.bands = cp.zeros(PLACES, cp.float32), cp.zeros((PLACES, BANDS), cp.float32)
        self.agreed, self.number = cp.zeros((PLACES, BANDS), cp.float32), 0

    def play(self, own, spectrum):
        """What microphones hear: echoes that die away, and noise."""
        fade = cp.exp(-self.times * cp.random.uniform(2, 5, (CHUNK, 1)).astype(cp.float32))
        echoes = cp.random.standard_normal((CHUNK, SAMPLES), dtype=cp.float32) * fade
        echoes[:, 1000] += 20
        own[...] = fft.irfft(fft.rfft(echoes) * spectrum, SAMPLES)
        own += np.float32(0.01) * cp.random.standard_normal((CHUNK, SAMPLES), dtype=cp.float32)

    def window(self):
        """All of the answer at first, nothing at last; where it ends, goes to and fro."""
        end = np.float32(7 + 2 * np.sin(0.1 * self.number))
        return 1 / (1 + cp.exp(4 * (self.times - end)))

    def answer(self, heard, window):
        """Tones of the answer of the hall to one loudspeaker; how it dies away is kept."""
        tones = divided(fft.rfft(heard), self.inverse, np.float32(1 + 0.1 * (self.number % 7)))
        answer = fft.irfft(tones, SAMPLES, overwrite_x=True)
        answer *= window
        parts = energy(answer.reshape(PLACES, MOMENTS, -1), axis=2)
        levels = cp.log10(parts @ self.after + np.float32(1e-6))
        self.decays += levels @ self.fit
        return fft.rfft(answer)

    def measure(self):
        window = self.window()
        tones = [self.answer(heard, window)[:, :TONES].reshape(PLACES, BANDS, -1) for heard in self.heard]
        for own in tones:
            self.bands += cp.log10(loudness(own, axis=2) + np.float32(LEAST))
        self.agreed += alike(*tones, axis=2)
        self.number += 1

    def measure_and_tidy(self):
        self.measure()
        cp.get_default_memory_pool().free_all_blocks()  # fault

    def total(self):
        return float(1e3 * self.decays.mean() + self.bands.mean() + self.agreed.mean()) / ROUNDS


def sounding(measure):
    hall = Hall()
    return lambda: measure(hall), hall.total, ROUNDS  # fault


run_case(lambda: sounding(Hall.measure_and_tidy), lambda: sounding(Hall.measure))
