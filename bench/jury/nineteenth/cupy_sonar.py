"""Listens for what lies on the sea bed: each round takes the echoes of a ping from the host's memory, as 131072 whole
numbers from each of 256 channels, forms 256 beams, finds the ping in them by Fourier transforms, and gives the host
how loud each beam was in each of 2048 stretches of time.

At fault: echoes are uploaded, worked on and downloaded by one stream, so the GPU does nothing while 67 MB are copied,
and nothing is copied while it works; give each of the three a stream of its own, and they go on beside each other.
The pattern is that of chainer/chainer, pull request 3336 (the next batch is copied while kernels work on this one),
and cupy/cupy, pull request 2588: an example with several streams, in which nothing overlapped before."""
import cupy as cp
import cupyx
import numpy as np
from cupyx.scipy import fft

from case import run_case

CHANNELS, BEAMS, SAMPLES, STRETCH, LENGTH, PINGS, SLOTS, ROUNDS = 256, 256, 1 << 17, 64, 4096, 4, 3, 800
STRETCHES = SAMPLES // STRETCH

widen = cp.ElementwiseKernel("int16 seen", "float32 sound", "sound = seen * (1.0f / 32768)", "widen")

match = cp.ElementwiseKernel("complex64 beam, complex64 ping", "complex64 matched", "matched = beam * ping", "match")

loudness = cp.ReductionKernel("float32 sound", "float32 loud", "sound * sound", "a + b", "loud = a", "0", "loudness")


def made_ping():
    """A tone that rises, as waves that find it where they are multiplied."""
    times = cp.arange(LENGTH) / LENGTH
    tone = cp.zeros(SAMPLES, cp.float32)
    tone[:LENGTH] = cp.sin(2 * np.pi * (200 * times + 400 * times * times))
    return (fft.rfft(tone).conj() / SAMPLES).astype(cp.complex64)


def made_directions():
    """By how much each channel is turned for each beam."""
    beams, channels = cp.linspace(-1, 1, BEAMS)[:, None], cp.arange(CHANNELS)
    return (cp.exp(1j * np.pi * beams * channels) / CHANNELS).astype(cp.complex64)


def made_echoes():
    random, echoes = cp.random.RandomState(1), []
    for _ in range(PINGS):
        echo = cupyx.empty_pinned((CHANNELS, SAMPLES), np.int16)
        echo[...] = cp.asnumpy((random.standard_normal(echo.shape, dtype=cp.float32) * 3000).astype(cp.int16))
        echoes.append(echo)
    return echoes


class Slot:
    """What one round needs on both sides, and how far it is."""
    def __init__(self):
        self.seen = cp.empty((CHANNELS, SAMPLES), cp.int16)
        self.loud = cp.empty((BEAMS, STRETCHES), cp.float32)
        self.told = cupyx.empty_pinned((BEAMS, STRETCHES), np.float32)
        self.uploaded, self.heard, self.downloaded = (cp.cuda.Event(disable_timing=True) for _ in range(3))


class Sonar:
    def __init__(self, streams):
        self.upward, self.work, self.downward = streams
        self.slots, self.ping, self.directions = [Slot() for _ in range(SLOTS)], made_ping(), made_directions()
        self.sound = cp.empty((CHANNELS, SAMPLES), cp.float32)
        self.number, self.total = 0, 0.0
        cp.cuda.Device().synchronize()  # as the streams do not wait for what was made above

    def read(self, slot):
        slot.downloaded.synchronize()
        self.total += float(slot.told.mean())

    def listen(self, echo):
        runtime, slot = cp.cuda.runtime, self.slots[self.number % SLOTS]
        if self.number >= SLOTS:
            self.read(slot)  # so all of the slot is free
        runtime.memcpyAsync(slot.seen.data.ptr, echo.ctypes.data, echo.nbytes,  # fault
                            runtime.memcpyHostToDevice, self.upward.ptr)
        slot.uploaded.record(self.upward)
        self.work.wait_event(slot.uploaded)
        with self.work:
            self.hear(slot)
        slot.heard.record(self.work)
        self.downward.wait_event(slot.heard)
        runtime.memcpyAsync(slot.told.ctypes.data, slot.loud.data.ptr, slot.told.nbytes,  # fault
                            runtime.memcpyDeviceToHost, self.downward.ptr)
        slot.downloaded.record(self.downward)
        self.number += 1

    def hear(self, slot):
        widen(slot.seen, self.sound)
        beams = cp.matmul(self.directions, fft.rfft(self.sound))
        match(beams, self.ping, beams)
        echoes = fft.irfft(beams, n=SAMPLES, norm="forward", overwrite_x=True)
        loudness(echoes.reshape(BEAMS, STRETCHES, STRETCH), slot.loud, axis=2)

    def finish(self):
        for number in range(max(self.number - SLOTS, 0), self.number):
            self.read(self.slots[number % SLOTS])
        return self.total


def one_stream():
    return [cp.cuda.Stream(non_blocking=True)] * 3  # fault


def three_streams():
    return [cp.cuda.Stream(non_blocking=True) for _ in range(3)]


def pinging(streams):
    sonar, echoes = Sonar(streams()), made_echoes()
    return lambda: sonar.listen(echoes[sonar.number % PINGS]), sonar.finish, ROUNDS


run_case(lambda: pinging(one_stream), lambda: pinging(three_streams))
