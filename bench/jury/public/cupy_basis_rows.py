"""Makes a vector of 4 million numbers orthogonal to 16 others, one after the other.

At fault: the 16 are the columns of a matrix in C order, so that a vector's numbers are 64 bytes apart.
The pattern is that of cupy/cupy, cupyx/scipy/sparse/linalg/_iterative.py, which keeps such a basis in Fortran order."""
import cupy

from case import run_case

LENGTH, VECTORS, ROUNDS = 4 << 20, 16, 200


def made_basis(order):
    number = cupy.arange(LENGTH * VECTORS, dtype=cupy.uint32) * cupy.uint32(2654435761)
    values = ((number >> cupy.uint32(8)).astype(cupy.float32) / (1 << 24)).reshape(VECTORS, LENGTH)
    return cupy.array(values.T, order=order), cupy.linspace(0, 1, LENGTH, dtype=cupy.float32)


def in_c_order():
    basis, start = made_basis("C")
    vector = cupy.empty_like(start)

    def one_round():
        vector[...] = start
        for column in range(VECTORS):
            share = (basis[:, column] * vector).sum() / LENGTH  # fault
            cupy.subtract(vector, share * basis[:, column], out=vector)  # fault

    return one_round, lambda: float(cupy.abs(vector).astype(cupy.float64).sum()), ROUNDS


def in_fortran_order():
    basis, start = made_basis("F")
    vector = cupy.empty_like(start)

    def one_round():
        vector[...] = start
        for column in range(VECTORS):
            share = (basis[:, column] * vector).sum() / LENGTH
            cupy.subtract(vector, share * basis[:, column], out=vector)

    return one_round, lambda: float(cupy.abs(vector).astype(cupy.float64).sum()), ROUNDS


run_case(in_c_order, in_fortran_order)
