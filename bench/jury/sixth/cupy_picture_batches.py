"""Scores of 4096 pictures a round, 3072 values each, by a perceptron; the pictures come in pinned memory of the host.

At fault: one stream copies a batch and then computes its scores, so that copies and kernels take turns.
The pattern is that of chainer/chainer, pull request 3336, whose converter copies the next batch while kernels work on this
one."""
import cupy
import cupyx

from case import run_case

PICTURES, WIDTH, HIDDEN, CLASSES, BATCHES, ROUNDS = 4096, 3072, 2048, 64, 3, 160

positive = cupy.ElementwiseKernel("float32 value", "float32 out", "out = value > 0 ? value : 0", "positive")


def made_values(count, width, seed):
    number = cupy.arange(count * width, dtype=cupy.uint32) + cupy.uint32(seed)
    mixed = (number * cupy.uint32(2654435761)) ^ (number >> cupy.uint32(9))
    values = ((mixed * cupy.uint32(2246822519)) >> cupy.uint32(8)).astype(cupy.float32) / cupy.float32(1 << 24)
    return (values - cupy.float32(0.5)).reshape(count, width)


class Scorer:
    """Batches on the host, two slots for them on the device, and the perceptron."""

    def __init__(self):
        self.batches = [cupyx.empty_pinned((PICTURES, WIDTH), dtype=cupy.float32) for _ in range(BATCHES)]
        for number, batch in enumerate(self.batches):
            batch[...] = cupy.asnumpy(made_values(PICTURES, WIDTH, number))
        self.slots = [cupy.empty((PICTURES, WIDTH), dtype=cupy.float32) for _ in range(2)]
        self.inward, self.outward = made_values(WIDTH, HIDDEN, 1 << 28), made_values(HIDDEN, CLASSES, 1 << 29)
        self.hidden = cupy.empty((PICTURES, HIDDEN), dtype=cupy.float32)
        self.scores = cupy.empty((PICTURES, CLASSES), dtype=cupy.float32)
        self.copied = [cupy.cuda.Event(disable_timing=True) for _ in self.batches]
        self.stream = cupy.cuda.Stream(non_blocking=True)
        cupy.cuda.Device().synchronize()

    def changed_batch(self, number):
        """Each batch is another one."""
        own = number % BATCHES
        self.copied[own].synchronize()
        self.batches[own][number % PICTURES] += cupy.float32(1 / 64)
        return self.batches[own]

    def score(self, slot):
        with self.stream:
            cupy.matmul(self.slots[slot], self.inward, out=self.hidden)
            positive(self.hidden, self.hidden)
            cupy.matmul(self.hidden, self.outward, out=self.scores)

    def total(self):
        cupy.cuda.Device().synchronize()
        return float(cupy.abs(self.scores).astype(cupy.float64).sum())


def in_turn():
    scorer, number = Scorer(), [0]

    def one_round():
        scorer.slots[0].set(scorer.changed_batch(number[0]), stream=scorer.stream)  # fault
        scorer.copied[number[0] % BATCHES].record(scorer.stream)
        scorer.score(0)  # fault
        number[0] += 1

    return one_round, scorer.total, ROUNDS


def side_by_side():
    scorer, number = Scorer(), [0]
    copies = cupy.cuda.Stream(non_blocking=True)
    full, free = ([cupy.cuda.Event(disable_timing=True) for _ in scorer.slots] for _ in range(2))

    def fetch(wanted):
        slot = wanted % 2
        batch = scorer.changed_batch(wanted)
        copies.wait_event(free[slot])
        scorer.slots[slot].set(batch, stream=copies)
        scorer.copied[wanted % BATCHES].record(copies)
        full[slot].record(copies)

    fetch(0)

    def one_round():
        slot = number[0] % 2
        fetch(number[0] + 1)
        scorer.stream.wait_event(full[slot])
        scorer.score(slot)
        free[slot].record(scorer.stream)
        number[0] += 1

    return one_round, scorer.total, ROUNDS


run_case(in_turn, side_by_side)
