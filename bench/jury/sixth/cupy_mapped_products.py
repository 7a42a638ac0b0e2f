"""Eight products of matrices of 2048 x 2048, each in a stream of its own, and the sum of them all.

Nothing is wrong: the sum waits for the products by events on the device, and all memory is allocated once.
The pattern is that of cupy/cupy, examples/stream/map_reduce.py."""
import cupy

from case import run_case

SIDE, STREAMS, ROUNDS = 2048, 8, 100

squashed = cupy.ElementwiseKernel("float32 value", "float32 out", "out = tanh(value)", "squashed")


def made_matrix(seed):
    number = cupy.arange(SIDE * SIDE, dtype=cupy.uint32) + cupy.uint32(seed)
    mixed = (number * cupy.uint32(2654435761)) ^ (number >> cupy.uint32(9))
    values = ((mixed * cupy.uint32(2246822519)) >> cupy.uint32(8)).astype(cupy.float32) / cupy.float32(1 << 24)
    return ((values - cupy.float32(0.5)) / cupy.float32(8)).reshape(SIDE, SIDE)


def mapped():
    ones = [made_matrix(number << 24) for number in range(STREAMS)]
    others = [made_matrix((number << 24) + 99) for number in range(STREAMS)]
    products = [cupy.empty((SIDE, SIDE), dtype=cupy.float32) for _ in range(STREAMS)]
    sums = cupy.zeros((SIDE, SIDE), dtype=cupy.float32)
    streams, last = [cupy.cuda.Stream(non_blocking=True) for _ in range(STREAMS)], cupy.cuda.Stream(non_blocking=True)
    ready = [cupy.cuda.Event(disable_timing=True) for _ in range(STREAMS)]
    added = cupy.cuda.Event(disable_timing=True)
    cupy.cuda.Device().synchronize()

    def one_round():
        for number, stream in enumerate(streams):
            with stream:
                stream.wait_event(added)
                cupy.matmul(ones[number], others[number], out=products[number])
                squashed(products[number], products[number])
                ready[number].record(stream)
        with last:
            for number in range(STREAMS):
                last.wait_event(ready[number])
                cupy.add(sums, products[number], out=sums)
            added.record(last)

    def total():
        cupy.cuda.Device().synchronize()
        return float(cupy.abs(sums).astype(cupy.float64).sum())

    return one_round, total, ROUNDS


run_case(None, mapped)
