"""Relaxes a field towards a target that was made in Fortran order. Repair: both have one order."""
import cupy

from case import run_case

ROWS, COLUMNS, ROUNDS = 5000, 6000, 800


def fields():
    cupy.random.seed(4)
    return cupy.random.rand(ROWS, COLUMNS), cupy.asfortranarray(cupy.random.rand(ROWS, COLUMNS))


def fault():
    field, target = fields()
    out = cupy.empty_like(field)

    def one_round():
        cupy.subtract(target, field, out=out)  # fault
        cupy.multiply(out, 0.1, out=out)

    return one_round, lambda: (out[:100] + field[:100]).sum(), ROUNDS


def clean():
    field, target = fields()
    target = cupy.ascontiguousarray(target)
    out = cupy.empty_like(field)

    def one_round():
        cupy.subtract(target, field, out=out)
        cupy.multiply(out, 0.1, out=out)

    return one_round, lambda: (out[:100] + field[:100]).sum(), ROUNDS


if __name__ == "__main__":
    run_case(fault, clean)
