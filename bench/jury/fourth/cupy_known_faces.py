"""Which of 200,000 known faces are the nearest to 256 new ones, and how near.

At fault: each number and each nearness comes to the host on its own, and the GPU idles meanwhile.
The pattern is that of cupy/cupy, issue 3142, where a loop calls get() for each face found."""
import cupy

from case import run_case

KNOWN, NEW, WIDTH, ROUNDS = 200000, 256, 128, 200


def numbers(start, *shape):
    number = cupy.arange(start, start + shape[0] * shape[1], dtype=cupy.uint32)
    mixed = (number * cupy.uint32(2654435761)) ^ (number >> cupy.uint32(7))
    mixed = (mixed * cupy.uint32(2246822519)) >> cupy.uint32(12)
    return (mixed.astype(cupy.float32) / cupy.float32(1 << 20) - cupy.float32(0.5)).reshape(shape)


def made_faces():
    return numbers(0, KNOWN, WIDTH), numbers(KNOWN * WIDTH, NEW, WIDTH), cupy.arange(KNOWN, dtype=cupy.int64) * 7 + 3


def nearest(known, new, names):
    nearness = new @ known.T
    return names[nearness.argmax(axis=1)], nearness.max(axis=1)


def one_by_one():
    known, new, names = made_faces()
    results = [None]

    def one_round():
        found, how_near = nearest(known, new, names)
        results[0] = [(int(found[face].get()), float(how_near[face].get())) for face in range(NEW)]  # fault

    return one_round, lambda: sum(name % 1009 + near for name, near in results[0]), ROUNDS


def all_at_once():
    known, new, names = made_faces()
    results = [None]

    def one_round():
        found, how_near = nearest(known, new, names)
        results[0] = list(zip(found.get().tolist(), how_near.get().tolist()))

    return one_round, lambda: sum(name % 1009 + near for name, near in results[0]), ROUNDS


run_case(one_by_one, all_at_once)
