"""What Nsight Compute prints is read, and compared kernel by kernel."""
import unittest

import nsight_counts

COLUMNS = ["ID", nsight_counts.NAME, nsight_counts.BLOCK, nsight_counts.GRID, *nsight_counts.COUNTERS.values()]


def printed(*rows: list) -> str:
    units = ["", "", "", "", *["sector"] * len(nsight_counts.COUNTERS)]
    lines = [",".join(f'"{value}"' for value in row) for row in (COLUMNS, units, *rows)]
    return "\n".join(["the program's own line", "==PROF== Connected", *lines, "==PROF== Disconnected"])


def row(name: str, grid: str, sectors: str) -> list:
    counts = {"load.requests": "64", "load.sectors": sectors, "instructions": "1,024"}
    return [0, name, "(256, 1, 1)", grid, *[counts.get(each, "0") for each in nsight_counts.COUNTERS]]


def kernel(sectors: int | None) -> dict:
    groups = {each.partition(".")[0]: {"requests": 0, "sectors": 0} for each in nsight_counts.COUNTERS if "." in each}
    groups["load"] = {"requests": 64, "sectors": sectors}
    return {"name": "copy", "mangled_name": "_Z4copyPf", "grid": [8, 1, 1], "block": [256, 1, 1], "instructions": 1024,
            "local_load_sectors": 0, "local_store_sectors": 0, **groups}


class NsightCounts(unittest.TestCase):
    def rows(self, sectors: int | None, *measured: list) -> list:
        return nsight_counts.compare([kernel(sectors)], nsight_counts.rows_of(printed(*measured)))

    def test_equal_counts(self):
        rows = self.rows(256, row("_Z4copyPf", "(8, 1, 1)", "256"))
        self.assertEqual([each.count for each in rows], ["load.requests", "load.sectors", "instructions"])
        self.assertTrue(all(each.alike for each in rows))
        self.assertEqual(nsight_counts.table(rows), "3 of 3 counts are the same, of 1 kernels.")

    def test_launches_that_differ_have_a_range(self):
        measured = row("_Z4copyPf", "(8, 1, 1)", "250"), row("_Z4copyPf", "(8, 1, 1)", "260")
        self.assertTrue(self.rows(256, *measured)[1].alike)
        self.assertIn("| copy | load.sectors | 273 | 250 to 260 | +5.00% |", nsight_counts.table(self.rows(273, *measured)))

    def test_other_kernels_and_shapes_and_what_was_not_measured(self):
        self.assertEqual(self.rows(256, row("_Z4copyPf", "(9, 1, 1)", "256"), row("_Z3setPf", "(8, 1, 1)", "256")), [])
        counts = [each.count for each in self.rows(None, row("_Z4copyPf", "(8, 1, 1)", "256"))]
        self.assertEqual(counts, ["load.requests", "instructions"])


if __name__ == "__main__":
    unittest.main()
