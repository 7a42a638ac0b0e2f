"""Which of 16 million particles are in a box.

At fault: all() over rows of three values gives a row of three to threads that could take one each.
The pattern is that of struphy-hub/struphy, pull request 347: the three columns joined by &."""
import cupy

from case import run_case

PARTICLES, ROUNDS = 1 << 24, 400


def made_places():
    random = cupy.random.default_rng(1)
    return random.random((PARTICLES, 3), dtype=cupy.float32)


inside_by_rows = cupy.ElementwiseKernel("float32 place, float32 low, float32 high", "bool out",
                                        "out = place > low && place < high", "inside_by_rows")
inside_by_one = cupy.ElementwiseKernel("float32 x, float32 y, float32 z, float32 low, float32 high", "bool out",
                                       "out = x > low && x < high && y > low && y < high && z > low && z < high",
                                       "inside_by_one")


def by_rows():
    places, kept = made_places(), [None]

    def one_round():
        kept[0] = cupy.all(inside_by_rows(places, 0.1, 0.9), axis=1)  # fault

    return one_round, lambda: int(kept[0].sum()), ROUNDS


def by_columns():
    places, kept = made_places(), [None]

    def one_round():
        kept[0] = inside_by_one(places[:, 0], places[:, 1], places[:, 2], 0.1, 0.9)

    return one_round, lambda: int(kept[0].sum()), ROUNDS


run_case(by_rows, by_columns)
