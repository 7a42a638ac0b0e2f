"""Tests of the benchmark itself, with programs that need no GPU."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import figures  # noqa: E402
import measure  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))


def saying(words: dict, status: int = 0) -> list:
    return ["sh", "-c", f"echo noise; echo '{json.dumps(words)}'; exit {status}"]


class Verdicts(unittest.TestCase):
    def test_a_bound_is_kept_or_not(self):
        self.assertEqual(figures.Figure("w", "", 1.3, "x", 1.3).verdict(), "met")
        self.assertEqual(figures.Figure("w", "", 1.31, "x", 1.3).verdict(), "NOT MET")

    def test_what_was_not_measured_meets_nothing(self):
        self.assertEqual(figures.Figure("w", "", None, "x", 1.3).verdict(), "not measured")
        self.assertEqual(figures.Figure("w", "", None, "x", failed=True).verdict(), "FAILED")

    def test_ratios_are_those_of_the_pairs(self):
        ratios = measure.Quantity([2.0, 3.0, 8.0]).ratio_to(measure.Quantity([1.0, 2.0, 2.0]))
        self.assertEqual(ratios.values, [2.0, 1.5, 4.0])
        self.assertEqual(ratios.median, 2.0)


class Runs(unittest.TestCase):
    def test_variants_take_turns(self):
        order = []
        variants = {name: lambda name=name: order.append(name) or saying({"right": True}) for name in ("a", "b")}
        runs = measure.by_turns(3, variants)
        self.assertEqual(order, ["a", "b", "b", "a", "a", "b"])
        self.assertEqual(len(runs["a"]), 3)

    def test_a_wrong_result_is_a_failure(self):
        self.assertEqual(measure.run_once(saying({"right": True, "loop_ns": 2e9})).loop_s(), 2)
        for wrong in (saying({"right": False}), saying({"right": True}, status=3), ["true"]):
            with self.assertRaises(measure.RunFailed):
                measure.run_once(wrong)

    def test_the_memory_of_descendants_is_seen(self):
        eats = f"{sys.executable} -c 'import time; a = bytearray(60 << 20); time.sleep(0.5)'; :"
        run = measure.run_once(["sh", "-c", eats + "; echo '{\"right\": true}'"], watch=True)
        self.assertGreater(max(run.peak_kb.values()), 60 << 10)


class Documents(unittest.TestCase):
    def test_the_table_goes_between_the_marks(self):
        machine = {"gpu": "", "cpu": "a processor", "cores": 2, "load": [0, 0, 0], "coalescope": "coalescope 1",
                   "commit": ""}
        row = figures.Figure("loop", "all", 1.25, "x", 1.3, native=1, recorded=1.25)
        result = {"figures": [vars(row)], "repeat": 5, "machine": machine, "command": "bench/run", "date": "2026-01-01"}
        marked = "a\n<!-- recording: begin -->\nold\n<!-- recording: end -->\nz\n"
        with tempfile.TemporaryDirectory() as folder:
            results, document = os.path.join(folder, "r.json"), os.path.join(folder, "d.md")
            with open(results, "w") as file:
                json.dump(result, file)
            command = [sys.executable, os.path.join(HERE, "run"), "--markdown", results, "--into", document]
            for text, status in (("no marks\n", 2), (marked, 0)):
                with open(document, "w") as file:
                    file.write(text)
                done = subprocess.run(command, stderr=subprocess.DEVNULL, check=False)
                self.assertEqual(done.returncode, status)
            with open(document) as file:
                written = file.read()
        self.assertIn("| loop: all | 1.00 s | 1.25 s | 1.25x |", written)
        self.assertNotIn("old", written)
        self.assertTrue(written.startswith("a\n<!-- recording: begin -->\n") and written.endswith("end -->\nz\n"))


if __name__ == "__main__":
    unittest.main()
