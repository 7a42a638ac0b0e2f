"""Which of 32,768 sensors have a sum of 1024 changing values above their bounds.

At fault: a fused function joins the sums with the comparison, and is launched with a few blocks only.
The pattern is that of cupy/cupy, issue 9008: the sums by themselves run in many blocks."""
import cupy

from case import run_case

SENSORS, VALUES, ROUNDS = 1 << 15, 1024, 800

changed = cupy.ElementwiseKernel("float32 value, float32 change", "float32 out", "out = value + 0.0002f * change",
                                 "changed")


@cupy.fuse()
def fused_alarms(values, bounds):
    return cupy.sum(values, axis=1) > bounds


def made_values():
    random = cupy.random.default_rng(1)
    values = random.standard_normal((SENSORS, VALUES), dtype=cupy.float32)
    changes = random.standard_normal((SENSORS, VALUES), dtype=cupy.float32)
    return values, changes, random.random(SENSORS, dtype=cupy.float32) * 40


def by_fusion():
    (values, changes, bounds), kept = made_values(), [None]

    def one_round():
        changed(values, changes, values)
        kept[0] = fused_alarms(values, bounds)  # fault

    return one_round, lambda: int(kept[0].sum()), ROUNDS


def by_two_kernels():
    (values, changes, bounds), kept = made_values(), [None]

    def one_round():
        changed(values, changes, values)
        kept[0] = cupy.sum(values, axis=1) > bounds

    return one_round, lambda: int(kept[0].sum()), ROUNDS


run_case(by_fusion, by_two_kernels)
