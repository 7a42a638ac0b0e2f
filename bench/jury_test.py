"""Tests of the jury's runner and of its labels, without a GPU."""
import dataclasses
import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import jury_judge  # noqa: E402
import jury_set  # noqa: E402
from jury.labels import Case  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ROWS = Case("transpose_16", "transpose", "cuda", ("G01",), "transpose_naive", "Turn a tile.", "")
QUIET = Case("sgemm_tiled", "product", "cuda", (), "", "Nothing is wrong.", "")
SOURCE = jury_judge.source_of(ROWS, "open")
LINE = jury_judge.fault_lines(SOURCE)[0]


def finding(rule: str = "G01", subject: str = "transpose_naive", line: int | None = LINE, **other) -> dict:
    return {"rule": rule, "level": "severe", "aside": None, "subject": subject, "file": "/src/transpose_16.cu" if line else None,
            "line": line, "call_file": None, "call_line": None, "kernel_id": 1 if subject == "transpose_naive" else 2, "lost_ns": 60,
            "subject_ns": 100} | other


def report(*findings: dict) -> dict:
    return {"findings": list(findings), "kernels": [{"id": 1, "name": "transpose_naive"}, {"id": 2, "name": "scale"}]}


def judged(*findings: dict, clean: tuple = (), case: Case = ROWS) -> dict:
    times = {"fault": [3.0, 1.0, 2.0], "clean": [1.0, 0.5, 5.0]}
    return jury_judge.judge(case, "open", {"fault": report(*findings), "clean": report(*clean)}, times)


class Judgement(unittest.TestCase):
    def test_a_fault_is_found_by_rule_subject_and_line(self):
        row = judged(finding())
        self.assertEqual((row["verdict"], row["line"], row["alarms"]), ("found", "right", []))
        self.assertEqual(judged(finding(line=LINE + 1))["verdict"], "wrong line")
        self.assertEqual(judged(finding(file="/src/other.cu"))["verdict"], "wrong line")
        self.assertEqual((judged()["verdict"], judged()["line"]), ("missed", None))

    def test_the_line_of_the_call_counts_too(self):
        at_call = finding(line=None, call_file="/src/transpose_16.cu", call_line=LINE)
        self.assertEqual(judged(at_call)["line"], "right")
        self.assertEqual((judged(finding(line=None))["verdict"], judged(finding(line=None))["line"]), ("found", "none"))

    def test_a_finding_may_call_its_kernel_otherwise(self):
        self.assertEqual(judged(finding(subject="copies of whole arrays", kernel_id=1))["verdict"], "found")
        self.assertEqual(judged(finding(subject="copies of whole arrays", kernel_id=2))["verdict"], "missed")

    def test_copies_and_pauses_have_no_name_to_be_known_by(self):
        copies = Case("transpose_16", "", "cuda", ("T01", "T05"), "", "", "")
        of_copies = finding("T01", "pageable host to device, 64 MiB", kernel_id=None)
        self.assertEqual(judged(of_copies, case=copies)["verdict"], "found")
        self.assertEqual(judged(of_copies | {"line": LINE + 1}, case=copies)["verdict"], "wrong line")
        other = judged(of_copies | {"rule": "T02"}, case=copies)
        self.assertEqual((other["verdict"], len(other["alarms"])), ("missed", 1))
        self.assertEqual(judged(finding("T01"), case=ROWS)["verdict"], "missed", "a kernel's finding by a rule that is not right")

    def test_notes_and_what_stands_aside_are_no_verdicts(self):
        for silent in ({"level": "note"}, {"aside": "small"}, {"aside": "library"}):
            row = judged(finding(**silent), clean=(finding(**silent),))
            self.assertEqual((row["verdict"], row["alarms"]), ("missed", []))

    def test_false_alarms_are_of_other_subjects_or_of_the_clean_side(self):
        row = judged(finding(), finding("S02"), finding("G03", "fill_fractions"), clean=(finding("G01", "transpose_tile"),))
        self.assertEqual([each.split(" (")[0] for each in row["alarms"]], ["clean: G01 transpose_tile", "fault: G03 fill_fractions"])
        self.assertEqual(row["others"], ["S02"], "another rule on the kernel at fault")

    def test_what_an_expert_would_sign_besides_is_no_false_alarm(self):
        case = dataclasses.replace(ROWS, also=("F01",))
        said = finding("F01", "2 element-wise operations")
        self.assertEqual(len(judged(finding(), said, clean=(said,))["alarms"]), 2)
        row = judged(finding(), said, clean=(said,), case=case)
        self.assertEqual((row["verdict"], row["alarms"]), ("found", []))
        self.assertEqual(judged(said, case=case)["verdict"], "missed")

    def test_a_program_in_which_nothing_is_wrong_is_quiet_or_an_alarm(self):
        for findings, verdict in (((), "quiet"), ((finding(),), "alarm")):
            row = jury_judge.judge(QUIET, "open", {"clean": report(*findings)}, {"clean": [1.0]})
            self.assertEqual((row["verdict"], len(row["alarms"])), (verdict, len(findings)))

    def test_gains_are_shares_of_the_rounds_time(self):
        row = judged(finding(lost_ns=800_000_000), finding(lost_ns=1_200_000_000))
        self.assertEqual((row["predicted"], row["measured"], row["error"]), (0.5, 0.5, 0.0), "both halves of the rounds take 4 s")
        self.assertEqual(judged(finding(lost_ns=5_000_000_000))["predicted"], 1)

    def test_a_missed_fault_is_said_to_gain_nothing_and_an_unknown_cost_has_no_error(self):
        self.assertEqual(judged()["error"], -0.5)
        row = judged(finding(lost_ns=None))
        self.assertEqual((row["verdict"], row["predicted"], row["unpriced"], "error" in row), ("found", None, 1, False))
        without_times = jury_judge.judge(ROWS, "open", {"fault": report(finding()), "clean": report()}, {})
        self.assertIsNone(without_times["measured"])
        self.assertNotIn("error", without_times)

    def test_a_repair_that_gains_nothing_makes_no_fault(self):
        times = {"fault": [1.0], "clean": [0.98]}
        row = jury_judge.judge(ROWS, "open", {"fault": report(), "clean": report()}, times)
        self.assertEqual((row["verdict"], "error" in row), ("no gain", False))
        self.assertEqual(jury_judge.summary([row])["faults"], 0)
        named = jury_judge.judge(ROWS, "open", {"fault": report(finding()), "clean": report()}, times)
        self.assertEqual(named["verdict"], "found", "what is named stays judged by its price")

    def test_the_summary_counts_wrong_lines_apart(self):
        rows = [judged(finding()), judged(finding(line=LINE + 1)), judged(finding("G03", "fill_fractions")),
                jury_judge.judge(QUIET, "open", {"clean": report()}, {})]
        sums = jury_judge.summary(rows)
        self.assertEqual((sums["faults"], sums["found"], sums["wrong_lines"], sums["alarms"], sums["clean"]), (3, 1, 1, 1, 1))
        self.assertEqual((sums["precision"], sums["unpriced"]), (0.5, 0))
        self.assertIsNone(jury_judge.summary([])["recall"], "of no faults")


class Labels(unittest.TestCase):
    def test_each_program_has_a_label_and_each_label_a_program(self):
        for half, cases in jury_set.all_cases().items():
            there = {name for name in os.listdir(os.path.join(HERE, "jury", half)) if name.endswith((".cu", ".py"))}
            self.assertEqual({os.path.basename(jury_judge.source_of(case, half)) for case in cases}, there)

    def test_names_are_of_one_program(self):
        names = [case.name for cases in jury_set.all_cases().values() for case in cases]
        self.assertEqual(len(names), len(set(names)))

    def test_faults_have_rules_that_exist_a_subject_and_lines(self):
        for half, case in jury_set.chosen_cases([]):
            with self.subTest(case.name):
                lines = jury_judge.fault_lines(jury_judge.source_of(case, half))
                self.assertEqual(bool(lines), bool(case.rules))
                self.assertFalse(case.subject and not case.rules, "nothing is wrong there")
                self.assertTrue(case.wants)
                self.assertEqual(bool(case.source), half != "open")
                for rule in case.rules:
                    self.assertTrue(os.path.exists(os.path.join(HERE, "..", "docs", "rules", f"{rule}.md")), rule)


# Both stand for programs: what the case says, and what coalescope does with it.
PROGRAM = """#!/bin/sh
sides=$1
[ "$1" != both ] || sides="fault clean"
for side in $sides; do
  case $side in fault) echo "fault steady 0.4 s" >&2 ;; clean) echo "clean steady 0.1 s" >&2 ;; esac
  echo "sum ${SUM:-12.5}"
done
"""
COALESCOPE = """#!/bin/sh
if [ "$1" = record ]; then shift 3; echo kept >"$1"; shift 2; exec "$@"; fi
cat "{report}"
"""


class Runs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.program = self.executable("jury/open/transpose_16", PROGRAM)
        with open(self.path("report.json"), "w") as file:
            json.dump(report(), file)
        self.coalescope = self.executable("bin/coalescope", COALESCOPE.format(report=self.path("report.json")))

    def path(self, *parts: str) -> str:
        return os.path.join(self.folder.name, *parts)

    def executable(self, name: str, text: str) -> str:
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w") as file:
            file.write(text)
        os.chmod(self.path(name), 0o755)
        return self.path(name)

    def run_set(self, *names: str, keep: bool = False, limit_s: float = 60) -> tuple[int, dict]:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            status = jury_set.run_set(self.coalescope, self.folder.name, self.folder.name, 2, limit_s, keep, list(names))
        path = self.path("jury.json")
        return status, jury_set.real_set.read(path) if os.path.exists(path) else {}

    def test_a_case_is_timed_recorded_and_judged(self):
        status, results = self.run_set("transpose_16")
        row = results["transpose_16"]
        self.assertEqual((status, row["verdict"], row["times"]), (0, "missed", {"fault": [0.4, 0.4], "clean": [0.1, 0.1]}))
        self.assertAlmostEqual(row["error"], -0.75)
        self.assertFalse([name for name in os.listdir(self.folder.name) if name.endswith(".coal")])
        with open(self.path("jury.md")) as file:
            self.assertIn("| transpose_16 | transpose 16 wide | G01 | **missed** |", file.read())

    def test_kept_captures_are_judged_again_without_programs(self):
        self.run_set("transpose_16", keep=True)
        with open(self.path("report.json"), "w") as file:
            json.dump(report(finding()), file)
        command = [sys.executable, os.path.join(HERE, "run"), "--only", "jury", "--jury", "transpose_16", "--bin", self.path("bin"),
                   "--judge", self.folder.name, "--out", self.path("again")]
        self.assertEqual(subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode, 0)
        row = jury_set.real_set.read(self.path("again", "jury.json"))["transpose_16"]
        self.assertEqual((row["verdict"], row["measured"], len(row["alarms"])), ("found", 0.75, 1))

    def test_without_names_what_was_kept_is_judged_again(self):
        self.run_set("transpose_16", keep=True)
        os.makedirs(self.path("again"))
        with contextlib.redirect_stdout(io.StringIO()):
            jury_set.judge_again(self.coalescope, self.folder.name, self.path("again"), [])
        self.assertEqual(list(jury_set.real_set.read(self.path("again", "jury.json"))), ["transpose_16"])

    def test_it_goes_on_where_it_was_cut_off(self):
        self.assertEqual(self.run_set("transpose_16", limit_s=-1), (3, {}))
        self.run_set("transpose_16")
        os.remove(self.program)
        self.assertEqual(self.run_set("transpose_16")[0], 0, "it is not run again")

    def test_what_could_not_be_judged_says_why(self):
        status, results = self.run_set("transpose_32")
        self.assertEqual((status, results), (1, {"transpose_32": {"why": "it is not built; see bench/README.md"}}))

    def test_a_recorded_run_that_computes_something_else_is_not_judged(self):
        self.executable("bin/coalescope", COALESCOPE.replace("exec ", "SUM=13 exec ").format(report=self.path("report.json")))
        status, results = self.run_set("transpose_16")
        self.assertEqual(status, 1)
        self.assertIn("computed [13.0], not 12.5", results["transpose_16"]["why"])


if __name__ == "__main__":
    unittest.main()
