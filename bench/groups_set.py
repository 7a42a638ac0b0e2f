"""Whether groups mean something: families of shapes, behaviours of one kernel, graphs, ranks and rare launches, each on
programs that are recorded here and compared with what they really do."""
from __future__ import annotations

import contextlib
import json
import math
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

import figures
import real_set
from groups.behaviours import CASES
from real.table import PROGRAMS

HERE = os.path.dirname(os.path.abspath(__file__))
FAMILIES = {"lu": "20", "wavefront": "20", "multigrid": "1500"}
GRAPHS = ("decode", "compiled_graphs")
LEAST_SIZES = 8
RARE = ("cooperative", "clusters", "nested", "contexts", "device_graph", "mps")
MOST_MISASSIGNED, MOST_OFF, MOST_UNCOVERED, MOST_IMBALANCE_OFF, SCREEN_LINES = 5, 5, 5, 2, 60  # four are %
RANKS = 64


class Failed(Exception):
    """What a program or coalescope did instead."""


class Recorder:
    def __init__(self, coalescope: str, programs: str, folder: str):
        self.coalescope, self.programs, self.folder = coalescope, programs, folder

    def program(self, *path: str) -> str:
        return os.path.join(self.programs, *path)

    def capture(self, name: str) -> str:
        return os.path.join(self.folder, f"groups-{name}.coal")

    def record(self, name: str, command: list[str], *options: str) -> str:
        """What the program said on stderr. It must end as it does alone, with the same output."""
        alone = real_set.run(command)
        if alone.status == 77:
            raise Failed(alone.out.strip())
        under = real_set.run([self.coalescope, "record", "--force", "-o", self.capture(name), *options, "--", *command])
        if alone.status != 0:
            raise Failed(f"status {alone.status} without coalescope: {alone.errors[-300:]}")
        if (under.status, under.out) != (alone.status, alone.out):
            raise Failed(f"status {under.status}, not {alone.status}, or another output: {under.errors[-300:]}")
        return under.errors

    def call(self, *arguments: str) -> str:
        done = subprocess.run([self.coalescope, *arguments], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Failed(f"coalescope {arguments[0]}: {done.stderr.strip()}")
        return done.stdout

    def report(self, name: str) -> dict:
        return json.loads(self.call("report", "--json", self.capture(name)))


def percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def uncovered(share: float | None) -> float | None:
    return None if share is None else 100 * (1 - share)


def measured_whole(family: dict) -> dict[str, float]:
    """The totals for which every shape was measured: they have no error of an estimate."""
    return {each["count"]: each["measured"] for each in family["totals"] if each["measured"] and each["error"] is None}


def furthest_off(report: dict, truth: dict) -> float | None:
    """Of all estimates of families how far the worst is from what a run without a limit measured."""
    exact = {(each["mangled_name"], tuple(each["block"])): measured_whole(each) for each in truth["kernel_families"]}
    off = []
    for family in report["kernel_families"]:
        true = exact.get((family["mangled_name"], tuple(family["block"])), {})
        off += [abs(each["estimated"] / true[each["count"]] - 1)
                for each in family["totals"] if each["estimated"] is not None and each["count"] in true]
    return max(off, default=None)


def sizes_missing(report: dict) -> tuple[int, str]:
    """Of eight sizes that each kind of answer should have of a family; and what part of the range of its sizes they span."""
    missing, spans = 0, []
    rows = {each["id"]: each for each in report["kernels"]}
    for family in report["kernel_families"]:
        if family["shapes"] < LEAST_SIZES:
            continue
        members = [rows[each] for each in family["kernel_ids"] if each in rows]
        sizes = [math.prod(each["grid"]) for each in members]
        for phase in family["phases"]:
            if phase["phase"] == "trace":
                continue
            missing = max(missing, LEAST_SIZES - phase["shapes"])
            measured = [size for size, each in zip(sizes, members) if each[phase["phase"]]["measured"]]
            if measured and max(sizes) > min(sizes):
                spans.append((max(measured) - min(measured)) / (max(sizes) - min(sizes)))
    return max(missing, 0), f"samples span {100 * min(spans):.0f} % of the sizes or more" if spans else ""


def needs_no_estimate(report: dict) -> bool:
    """Whether every shape has all kinds of answers."""
    shares = real_set.coverage(report)
    return all(shares[what] == 1 for what in real_set.ANSWERS)


def misassigned(times: list[int], rows: list[int]) -> float:
    """At least this share of launches stands in the row of another behaviour; `times`: how often each was done."""
    rows = sorted(rows, reverse=True) + [0] * len(times)
    true = sorted(times, reverse=True)
    return sum(max(0, often - row) for often, row in zip(true, rows)) / sum(true)


def families(recorder: Recorder) -> list[figures.Figure]:
    made = []
    for name, rounds in FAMILIES.items():
        command = [recorder.program("real", name), rounds]
        recorder.record(name, command)
        recorder.record(f"{name}-all", command, "--budget", "none")
        report = recorder.report(name)
        in_families = real_set.coverage(report)["in families"]
        no_estimate = needs_no_estimate(report)
        worst = 0.0 if no_estimate else furthest_off(report, recorder.report(f"{name}-all"))
        missing, span = sizes_missing(report)
        made += [figures.Figure("families", f"{name}: of eight sizes without a sample", float(missing), "", 0, note=span),
                 figures.Figure("families", f"{name}: kernel time in families without all answers", uncovered(in_families), "%", MOST_UNCOVERED),
                 figures.Figure("families", f"{name}: worst estimate", percent(worst), "%", MOST_OFF,
                                note="no estimate: every shape was measured" if no_estimate else "")]
    return made


def behaviours(recorder: Recorder) -> list[figures.Figure]:
    made = []
    for case in CASES:
        errors = recorder.record(case, [sys.executable, os.path.join(HERE, "groups", "behaviours.py"), case])
        said = re.search(r"^did (\S+) ([\d ]+)$", errors, re.M)
        if said is None:
            raise Failed(f"{case} did not say what it did: {errors[-300:]}")
        times = [int(each) for each in said.group(2).split()]
        kernels = [each for each in recorder.report(case)["kernels"]
                   if re.search(said.group(1), each["name"]) and each["launches"] >= min(times)]
        mixed = any(each["mixed"] for each in kernels)
        rows = [each["launches"] for each in kernels]
        note = f"did {times}, rows {rows}" + (", mixed" if mixed else "")
        # What only data tell apart has no rows of its own, and must say so.
        wrong = 0.0 if mixed and case == "data_only" else misassigned(times, rows)
        made.append(figures.Figure("behaviours", f"{case}: launches in the wrong row", percent(wrong), "%", MOST_MISASSIGNED, note=note))
    return made


def graphs(recorder: Recorder) -> list[figures.Figure]:
    made = []
    for program in PROGRAMS:
        if program.name not in GRAPHS:
            continue
        recorder.record(program.name, program.arguments(recorder.programs))
        shares = real_set.coverage(recorder.report(program.name))
        made += [figures.Figure("graphs", f"{program.name}: kernel time without {what}", uncovered(shares[what]), "%", MOST_UNCOVERED)
                 for what in ("degree", "lines")]
    return made


def ranks(recorder: Recorder) -> list[figures.Figure]:
    """Two ranks, of which the second launches three times as much; and copies of the second as ranks of one job."""
    job = 'for rank in 0 1; do RANK=$rank WORLD_SIZE=2 "$@" $((100 + 200 * rank)); done'
    recorder.record("ranks", ["sh", "-c", job, "sh", recorder.program("groups", "ranks")])
    report = recorder.report("ranks")
    found = [each for each in report["kernel_families"] if "strided_sum" in each["name"]]
    findings = [each for each in report["findings"] if "strided_sum" in each["subject"]]
    off = abs(found[0]["imbalance"] - 0.5) if found and found[0]["imbalance"] is not None else None
    made = [figures.Figure("ranks", "rows of a kernel of two ranks", float(len(found)), "", 1),
            figures.Figure("ranks", "its rules that are named more than once", float(len(findings) - len({each["rule"] for each in findings})), "", 0),
            figures.Figure("ranks", "imbalance: off by", percent(off), "%", MOST_IMBALANCE_OFF)]
    copies = []
    for rank in range(RANKS):
        copies.append(recorder.capture(f"rank-{rank}"))
        shutil.copyfile(recorder.capture("ranks"), copies[-1])
        with sqlite3.connect(copies[-1]) as capture:
            capture.execute("UPDATE process SET rank = 2 * ? + rank, pid = pid + 1000 * ?", (rank, rank))
        capture.close()
    recorder.call("merge", "--force", "-o", recorder.capture("many"), *copies)
    for copy in copies:
        os.remove(copy)
    lines = recorder.call("report", recorder.capture("many")).count("\n")
    return [*made, figures.Figure("ranks", f"lines of the report of {2 * RANKS} ranks", float(lines), "", SCREEN_LINES)]


@contextlib.contextmanager
def clients_of_mps():
    """Programs that are started inside share the GPU through an MPS daemon, which nobody else uses."""
    with tempfile.TemporaryDirectory() as folder:
        own = {"CUDA_MPS_PIPE_DIRECTORY": folder, "CUDA_MPS_LOG_DIRECTORY": folder}
        try:
            subprocess.run(["nvidia-cuda-mps-control", "-d"], env={**os.environ, **own}, check=True, timeout=30, capture_output=True)
        except (OSError, subprocess.SubprocessError) as failed:
            raise Failed(f"no MPS here: {failed}") from failed
        os.environ.update(own)
        try:
            yield
        finally:
            subprocess.run(["nvidia-cuda-mps-control"], input="quit\n", text=True, timeout=60, capture_output=True, check=False)
            for each in own:
                del os.environ[each]


def record_rare(recorder: Recorder, kind: str) -> None:
    program = recorder.program("groups", "rare")
    if kind != "mps":
        recorder.record(kind, [program, kind])
        return
    with clients_of_mps():
        recorder.record(kind, [recorder.program("real", "wavefront"), "4"])


def rare(recorder: Recorder) -> list[figures.Figure]:
    made = []
    for kind in RARE:
        try:
            record_rare(recorder, kind)
        except Failed as failed:
            made.append(figures.Figure("rare", kind, None, "", note=str(failed), failed=not re.search("no green contexts|no MPS", str(failed))))
            continue
        report = recorder.report(kind)
        silent = [each["name"] for each in report["kernels"]
                  if not real_set.answered(each, ("bytes", "lines", "traffic", "hits")) and not each["unmeasured"]]
        note = "; ".join(f"{each['name']}: " + (", ".join(sorted({gap["reason"] for gap in each["unmeasured"]})) or "measured")
                         for each in report["kernels"])
        made.append(figures.Figure("rare", f"{kind}: kernels neither measured nor explained", float(len(silent)), "", 0, note=note))
    return made


PARTS = {"graphs": graphs, "behaviours": behaviours, "rare": rare, "ranks": ranks, "families": families}


def run_parts(coalescope: str, programs: str, out: str, limit_s: float, names: list[str]) -> int:
    """Status 0: every bar was met."""
    recorder = Recorder(coalescope, programs, out)
    began = time.perf_counter()
    rows = []
    for name, part in PARTS.items():
        if names and name not in names:
            continue
        if time.perf_counter() - began > limit_s:
            rows.append(figures.Figure(name, "", None, "", note=f"not begun: --limit {limit_s:.0f} s had passed", failed=True))
            continue
        print(f"{name} ...", file=sys.stderr, flush=True)
        try:
            rows += part(recorder)
        except (Failed, OSError, subprocess.TimeoutExpired) as failed:
            rows.append(figures.Figure(name, "", None, "", note=str(failed), failed=True))
    print(figures.text_table(rows), end="")
    return 1 if any(row.verdict() in ("NOT MET", "FAILED") for row in rows) else 0
