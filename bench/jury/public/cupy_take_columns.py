"""Takes the vectors of a million items from a table.

At fault: the table has a row for each feature, so that an item's vector is a column, and neighbouring lanes read words of one
row wherever the index leads.
The pattern is that of PaddlePaddle/PaddleCustomDevice, pull request 1212: a gather along the last axis, against one along the
first axis of the transposed table."""
import cupy

from case import run_case

ITEMS, FEATURES, ROUNDS = 1 << 20, 64, 600


def made_table():
    """A row for each feature."""
    number = cupy.arange(FEATURES * ITEMS, dtype=cupy.uint32)
    table = ((number * cupy.uint32(2654435761)) >> cupy.uint32(12)).astype(cupy.float32) / cupy.float32(1 << 20)
    return table.reshape(FEATURES, ITEMS)


def made_index():
    number = cupy.arange(ITEMS, dtype=cupy.int64)
    return number * 2654435761 % ITEMS


def by_column():
    table, index, results = made_table(), made_index(), [None]

    def one_round():
        results[0] = cupy.take(table, index, axis=1)  # fault

    return one_round, lambda: total_of(results[0][:, 5000:5100].T), ROUNDS


def by_row():
    table, index, results = cupy.ascontiguousarray(made_table().T), made_index(), [None]

    def one_round():
        results[0] = cupy.take(table, index, axis=0)

    return one_round, lambda: total_of(results[0][5000:5100]), ROUNDS


def total_of(vectors):
    weights = cupy.arange(1, FEATURES + 1, dtype=cupy.float64)
    return float((vectors.astype(cupy.float64) * weights).sum())


run_case(by_column, by_row)
