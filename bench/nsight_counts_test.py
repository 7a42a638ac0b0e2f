"""What Nsight Compute prints is read, and compared kernel by kernel."""
import sqlite3
import tempfile
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
    return {"id": 7, "name": "copy", "mangled_name": "_Z4copyPf", "grid": [8, 1, 1], "block": [256, 1, 1], "instructions": 1024,
            "local_load_sectors": 0, "local_store_sectors": 0, **groups}


class NsightCounts(unittest.TestCase):
    def rows(self, sectors: int | None, *measured: list, launches: tuple = (1, 2)) -> list:
        chosen = {7: ("_Z4copyPf", set(launches))}
        return nsight_counts.compare("lines", [kernel(sectors)], nsight_counts.rows_of(printed(*measured)), [1, 2], chosen)

    def test_equal_counts(self):
        rows = self.rows(256, row("_Z4copyPf", "(8, 1, 1)", "256"))
        self.assertEqual([each.count for each in rows], ["load.requests", "load.sectors", "instructions"])
        self.assertTrue(all(each.alike for each in rows))
        self.assertEqual(nsight_counts.table(rows), "3 of 3 counts are the same, of 1 kernels.")

    def test_launches_that_differ_have_a_range(self):
        measured = row("_Z4copyPf", "(8, 1, 1)", "250"), row("_Z4copyPf", "(8, 1, 1)", "260")
        self.assertTrue(self.rows(256, *measured)[1].alike)
        self.assertIn("| lines | copy | load.sectors | 273 | 250 to 260 | +5.00% |", nsight_counts.table(self.rows(273, *measured)))

    def test_only_launches_that_coalescope_measured_are_compared(self):
        measured = row("_Z4copyPf", "(9, 1, 1)", "250"), row("_Z4copyPf", "(8, 1, 1)", "260")
        self.assertTrue(self.rows(260, *measured, launches=(2,))[1].alike)
        self.assertFalse(self.rows(250, *measured, launches=(2,))[1].alike)
        with self.assertRaisesRegex(OSError, "another order"):
            self.rows(260, *measured, launches=(1,))

    def test_other_kernels_and_what_was_not_measured(self):
        self.assertEqual(self.rows(256, row("_Z3setPf", "(8, 1, 1)", "256")), [])
        counts = [each.count for each in self.rows(None, row("_Z4copyPf", "(8, 1, 1)", "256"))]
        self.assertEqual(counts, ["load.requests", "instructions"])


class Invocations(unittest.TestCase):
    def capture(self, folder: str, launches: list[tuple], measured: list[int]) -> str:
        path = f"{folder}/counts.coal"
        with sqlite3.connect(path) as file:
            file.executescript("CREATE TABLE kernel (id, name); CREATE TABLE kernel_group (id, kernel_id); CREATE TABLE launch (id, group_id, start_ns, window_id);"
                               "INSERT INTO kernel VALUES (1, 'copy'), (2, 'sort'); INSERT INTO kernel_group VALUES (1, 1), (2, 1), (3, 2);")
            file.executemany("INSERT INTO launch VALUES (?, ?, ?, ?)", [(*each, 9 if each[0] in measured else None) for each in launches])
        return path

    def test_launches_are_numbered_by_time_for_each_kernel(self):
        with tempfile.TemporaryDirectory() as folder:
            path = self.capture(folder, [(1, 2, 30), (2, 1, 10), (3, 1, 40), (4, 3, 20), (5, 3, 50)], [1, 3, 5])
            self.assertEqual(nsight_counts.invocations(path), {2: ("copy", {2}), 1: ("copy", {3}), 3: ("sort", {2})})

    def test_launches_without_a_record_are_said(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(OSError, "no record of some launches"):
            nsight_counts.invocations(self.capture(folder, [(1, 1, 10), (3, 1, 20)], [3]))


if __name__ == "__main__":
    unittest.main()
