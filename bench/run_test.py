"""Tests of the benchmark itself, with programs that need no GPU."""
import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import diff_set  # noqa: E402
import figures  # noqa: E402
import groups_set  # noqa: E402
import guest_set  # noqa: E402
import measure  # noqa: E402
import real_set  # noqa: E402
from real.table import PROGRAMS, Fault, Label, Program  # noqa: E402
import stacks_set  # noqa: E402

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


def kernel(number: int, gpu_ns: int, reason: str | None = None, **measured) -> dict:
    phases = {phase: {"measured": measured.get(phase, 0), "seen": 9} for phase in ("bytes", "lines", "traffic", "hits")}
    return {"id": number, "gpu_ns": gpu_ns, "unmeasured": [{"reason": reason}] if reason else []} | phases


class RealPrograms(unittest.TestCase):
    def test_coverage_is_a_share_of_the_kernels_time(self):
        report = {"kernels": [kernel(1, 300, bytes=1, lines=1), kernel(2, 100, traffic=2), kernel(3, 0, hits=1)], "kernel_families": []}
        shares = real_set.coverage(report)
        self.assertEqual({name: shares[name] for name in real_set.ANSWERS}, {"degree": 0.75, "lines": 0.75, "L2, DRAM": 0.25, "hits": 0})
        self.assertEqual(set(real_set.coverage({"kernels": [], "kernel_families": []}).values()), {None})

    def test_what_cannot_be_measured_safely_is_a_share_of_its_own(self):
        report = {"kernels": [kernel(1, 300, bytes=1), kernel(2, 100, "skip_listed"), kernel(3, 100, "in_graph")], "kernel_families": []}
        shares = real_set.coverage(report)
        self.assertEqual((shares["degree"], shares["left alone"], shares["in graphs"]), (0.75, 0.2, 0.2))

    def test_a_family_is_answered_by_samples_over_its_sizes(self):
        def family(numbers: list, shapes: int, measured: int) -> dict:
            return {"kernel_ids": numbers, "shapes": shapes, "phases": [{"phase": "bytes", "shapes": measured}]}
        report = {"kernels": [kernel(1, 300), kernel(2, 100), kernel(3, 100)],
                  "kernel_families": [family([1], 40, 8), family([2], 40, 7), family([3], 2, 2)]}
        self.assertEqual(real_set.coverage(report)["in families"], 0.8)

    def test_a_fault_is_named_by_its_rule_subject_and_file(self):
        program = Program("p", ("p",), (Fault("G01", "walk", "p.cu"), Fault("T01", "pageable")), ("walk_well",))
        finding = {"rule": "G01", "subject": "walk<4>", "file": "/src/p.cu", "lost_ns": None}
        alarm = finding | {"subject": "walk_well"}
        said = real_set.judge(program, {"findings": [finding, alarm]})
        self.assertEqual((said["planted"], said["named"], said["priced"], said["false"]), (2, 1, 0, 1))

    def test_each_finding_that_is_shown_has_a_label(self):
        program = Program("p", ("p",), (Fault("G01", "walk"),), ("walk_well",), (Label("T08", "pinned", "not actionable", "a library's"),))
        finding = {"rule": "G01", "subject": "walk", "file": None, "call_file": None, "lost_ns": 1, "aside": None}
        others = [{"subject": "walk_well"}, {"rule": "T08", "subject": "pinned"}, {"rule": "T08", "subject": "device"}, {"aside": "small"}]
        said = real_set.judge(program, {"findings": [finding, *(finding | each for each in others)]})
        self.assertEqual([label for _, label in said["findings"]], ["right", "right", "not actionable", None])
        text = real_set.labelled({"p": {"faults": said}})
        self.assertIn("2 of 4 findings that reports show are right", text)
        self.assertIn("- p: T08 device: not labelled\n", text)

    def test_what_was_measured_is_not_measured_again(self):
        with tempfile.TemporaryDirectory() as out:
            rows = {each.name: {"why": "of an earlier run"} for each in PROGRAMS}
            with open(os.path.join(out, "real.json"), "w") as file:
                json.dump(rows, file)
            with contextlib.redirect_stdout(io.StringIO()) as said:
                self.assertEqual(real_set.run_set("/nowhere", "/nowhere", out, 3, 60, 1, []), 0)
        self.assertEqual(said.getvalue().count("of an earlier run"), len(PROGRAMS))

    def test_a_program_that_cannot_run_says_why(self):
        with tempfile.TemporaryDirectory() as out, contextlib.redirect_stdout(io.StringIO()) as said, \
                contextlib.redirect_stderr(io.StringIO()):
            real_set.run_set("/nowhere", out, out, 3, 60, 1, ["lu"])
        self.assertIn("it is not built", said.getvalue())


    def test_each_turn_runs_natively_recorded_and_traced(self):
        with tempfile.TemporaryDirectory() as out, contextlib.redirect_stdout(io.StringIO()) as said, \
                contextlib.redirect_stderr(io.StringIO()):
            report = json.dumps({"kernels": [], "kernel_families": [], "processes": [], "findings": []})
            scripts = {"real/lu": 'echo "steady ${STEADY:-2} s" >&2', "coalescope": f"""case "$*" in
                report*) echo '{report}' ;; *--trace*) STEADY=3 "{out}/real/lu" ;; *) STEADY=2.5 "{out}/real/lu" ;; esac"""}
            os.mkdir(f"{out}/real")
            for name, script in scripts.items():
                with open(f"{out}/{name}", "w") as file:
                    file.write(f"#!/bin/sh\n{script}\n")
                os.chmod(f"{out}/{name}", 0o755)
            self.assertEqual(real_set.run_set(f"{out}/coalescope", out, out, 3, 60, 1, ["lu"]), 0)
        self.assertIn("| 1.25x | 1.50x | 0.00 / 1.00 |", said.getvalue())


class Groups(unittest.TestCase):
    def test_launches_in_another_behaviours_row_are_counted(self):
        self.assertEqual(groups_set.misassigned([24, 36, 60], [60, 24, 36]), 0)
        self.assertEqual(groups_set.misassigned([24, 36, 60], [120]), 0.5)
        self.assertEqual(groups_set.misassigned([40, 60], [58, 42]), 0.02)
        self.assertEqual(groups_set.misassigned([40, 60], []), 1)

    def test_sizes_of_a_family_are_counted_for_each_kind_of_answer(self):
        def report(sampled):
            kernels = [{"id": size, "grid": [size, 2, 1], "bytes": {"measured": int(size in sampled)}} for size in range(1, 101)]
            phases = [{"phase": "trace", "shapes": 100}, {"phase": "bytes", "shapes": len(sampled)}]
            return {"kernels": kernels, "kernel_families": [{"shapes": 100, "kernel_ids": list(range(1, 101)), "phases": phases},
                                                            {"shapes": 7, "kernel_ids": [], "phases": []}]}
        self.assertEqual(groups_set.sizes_missing(report({1, 12, 25, 37, 50, 62, 75, 100})), (0, "samples span 100 % of the sizes or more"))
        self.assertEqual(groups_set.sizes_missing(report({2, 3, 4, 5, 6, 7, 101 - 50}))[0], 1)
        self.assertEqual(groups_set.sizes_missing(report(set())), (8, ""))

    def test_the_worst_estimate_of_a_family_counts(self):
        def report(measured: int, estimated: int | None, error: float | None = None) -> dict:
            total = {"count": "load_bytes", "measured": measured, "estimated": estimated, "error": error}
            return {"kernel_families": [{"mangled_name": "k", "block": [64, 1, 1], "totals": [total]}]}
        self.assertAlmostEqual(groups_set.furthest_off(report(50, 96, 0.01), report(100, None)), 0.04)
        self.assertIsNone(groups_set.furthest_off(report(97, None), report(100, None)), "no estimate")
        self.assertIsNone(groups_set.furthest_off(report(50, 96, 0.01), report(100, None, 0.2)), "the truth was not measured whole")
        self.assertIsNone(groups_set.furthest_off({"kernel_families": []}, report(100, None)))

    def test_no_estimate_is_needed_where_each_shape_was_measured(self):
        def report(*measured: bool) -> dict:
            return {"kernel_families": [],
                    "kernels": [{"id": i, "gpu_ns": 5, "unmeasured": []} | {
                        phase: {"measured": int(each)} for phases in real_set.ANSWERS.values() for phase in phases}
                        for i, each in enumerate(measured)]}
        self.assertTrue(groups_set.needs_no_estimate(report(True, True)))
        self.assertFalse(groups_set.needs_no_estimate(report(True, False)))
        self.assertFalse(groups_set.needs_no_estimate(report()))


class Differences(unittest.TestCase):
    def test_an_answer_is_right_or_tells_what_it_says(self):
        same, planted = diff_set.CASES[1], diff_set.CASES[2]
        nothing = {"judgement": "same", "verdict": "No difference", "kernels": []}
        more = {"judgement": "worse", "verdict": "Worse: copy", "kernels": [{"name": "copy", "decides": True, "judgement": "worse"}]}
        other = more | {"kernels": more["kernels"] + [{"name": "turn", "decides": True, "judgement": "better"}]}
        self.assertIsNone(diff_set.wrong(same, nothing))
        self.assertIn("Worse: copy", diff_set.wrong(same, more))
        self.assertIsNone(diff_set.wrong(planted, more))
        self.assertIn("No difference", diff_set.wrong(planted, nothing))
        self.assertIn("turn", diff_set.wrong(planted, other))

    def test_recordings_go_on_where_they_stopped(self):
        program = "#!/bin/sh\n" \
                  "[ $1 != record ] || { echo x >>$(dirname $0)/recorded; touch $4; exit 0; }\n" \
                  "echo '{\"comparison\": {\"judgement\": \"same\", \"verdict\": \"\", \"kernels\": []}}'\n"
        with tempfile.TemporaryDirectory() as out, contextlib.redirect_stderr(io.StringIO()), \
                contextlib.redirect_stdout(io.StringIO()) as said:
            coalescope = os.path.join(out, "coalescope")
            with open(coalescope, "w") as file:
                file.write(program)
            os.chmod(coalescope, 0o755)
            self.assertEqual(diff_set.run_set(coalescope, out, out, 3, 0, ["growing"]), 1, "nothing may begin")
            self.assertEqual(diff_set.run_set(coalescope, out, out, 3, 60, ["growing"]), 0)
            self.assertEqual(diff_set.run_set(coalescope, out, out, 3, 60, ["planted"]), 1, "the regression was not found")
            with open(os.path.join(out, "recorded")) as file:
                self.assertEqual(len(file.readlines()), (1 + 3) + (1 + 3))
        self.assertIn("0 of 3 recorded", said.getvalue())


class Guests(unittest.TestCase):
    def test_only_problems_with_one_native_choice_tell_anything(self):
        def chose(**choices):
            return [0, "a warning\n" + json.dumps(choices)]
        native = [chose(a="1", b="1"), chose(a="1", b="2")]
        failed, differ, _ = guest_set.tuner_figures("t", native, [chose(a="1", b="3"), chose(a="2", b="1")])
        self.assertEqual((failed.figure, differ.figure, differ.note), (0, 1, "a"))
        _, alike, _ = guest_set.tuner_figures("t", native, [chose(a="1", b="3")])
        self.assertEqual(alike.verdict(), "met")
        _, nothing, _ = guest_set.tuner_figures("t", [chose(a="1"), chose(a="2")], [chose(a="1")])
        self.assertEqual(nothing.verdict(), "not measured", "no native runs agree")

    def test_where_native_runs_differ_chance_must_explain_the_rest(self):
        def chose(*choices):
            return [[0, json.dumps({"a": choice, "b": choice})] for choice in choices]
        *_, alike = guest_set.tuner_figures("t", chose(*"1212121212"), chose(*"2121212122"))
        self.assertEqual(alike.verdict(), "met")
        *_, other = guest_set.tuner_figures("t", chose(*"1212121212"), chose(*"3333333333"))
        self.assertEqual(other.verdict(), "NOT MET")
        *_, none = guest_set.tuner_figures("t", chose("1"), [])
        self.assertEqual(none.verdict(), "not measured")

    def test_a_run_that_fails_is_counted(self):
        failed, *_ = guest_set.tuner_figures("t", [[0, '{"a": "1"}']], [[139, ""]])
        self.assertEqual(failed.verdict(), "NOT MET")

    def test_a_recording_must_say_what_a_native_run_says(self):
        native = [[0, "loss 1.0"], [0, "loss 1.1"]]
        self.assertEqual(guest_set.jax_figures(native, [[0, "loss 1.1"]])[0].figure, 0)
        self.assertEqual(guest_set.jax_figures(native, [[0, "loss 1.2"], [139, ""]])[0].figure, 2)


class Stacks(unittest.TestCase):
    def judged(self, lines: dict, native: dict):
        recorded = {"kernel": lines, "copies": {"gpt.py:1": 2}, "time": {("add", "gpt.py:1"): 90, ("add", ""): 10}, "all_ns": 100}
        return stacks_set.judged("gpt", recorded, {"kernel": native, "gpu_memcpy": {"to device": {"gpt.py:1": 1}, "to host": {"gpt.py:1": 1}}})

    def test_launches_at_the_lines_of_pytorch_agree_where_some_were_not_looked_at(self):
        looked, lines, copies, time = self.judged({"add": {"gpt.py:1": 8, "backward": 1}}, {"add": {"gpt.py:1": 9, "backward": 2}})
        self.assertEqual((looked.figure, lines.figure, copies.figure), (100 * 9 / 11, 0, 0))
        self.assertEqual((time.figure, time.verdict()), (10, "NOT MET"))

    def test_launches_at_another_line_are_counted(self):
        _, lines, *_ = self.judged({"add": {"gpt.py:1": 9, "gpt.py:2": 1}}, {"add": {"gpt.py:1": 9, "gpt.py:3": 1}})
        self.assertEqual((lines.figure, lines.verdict()), (10, "NOT MET"))
        self.assertIn("1 of add at gpt.py:2", lines.note)

    def test_what_no_operator_launched_is_not_counted_against_a_line(self):
        _, lines, *_ = self.judged({"add": {"gpt.py:2": 1}}, {"add": {"": 1}})
        self.assertEqual(lines.figure, 0)

    def test_the_line_of_a_site_is_the_innermost_one_of_the_program(self):
        gpt = os.path.join(stacks_set.REAL, "gpt.py")
        backward = next(number for number in range(1, 200) if ".backward(" in stacks_set.source_line("gpt.py", number))
        sites = {1: (None, gpt, 3), 2: (1, gpt, 5), 3: (2, "/somewhere/torch/nn.py", 9), 4: (None, gpt, backward), 5: (None, "other.py", 1)}
        self.assertEqual([stacks_set.own_line(sites, site) for site in (3, 1, 4, 5)], ["gpt.py:5", "gpt.py:3", "backward", ""])


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
