"""Array work in CuPy on arrays in C and in Fortran order.

Planted: a sum of an array in C order and one in Fortran order (G01, line `mixed`); the same kernel on arrays of one order
is clean."""
import sys

import cupy

from steady import steady


def main():
    rounds = int(sys.argv[1])
    cupy.random.seed(0)
    rows = cupy.random.rand(4096, 4096, dtype=cupy.float32)
    columns = cupy.asfortranarray(cupy.random.rand(4096, 4096, dtype=cupy.float32))
    other = rows * 2

    def work():
        straight = rows + other
        mixed = rows + columns  # planted
        return cupy.sqrt(straight * mixed).sum(axis=1).max()

    work()
    cupy.cuda.Device().synchronize()
    for _ in steady(rounds, cupy.cuda.Device().synchronize):
        largest = work()
    print(f"largest {float(largest):.0f}")


if __name__ == "__main__":
    main()
