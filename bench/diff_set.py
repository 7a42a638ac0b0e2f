"""Whether `coalescope diff` sees what is there and nothing else: repeated recordings of one program must show no
difference, and recordings of a program that moves 5 % more bytes must show just that.

Goes on where it was cut off: each answer stands in diff.json of the output folder."""
from __future__ import annotations

import dataclasses
import importlib.util
import json
import os
import subprocess
import sys
import time

import figures
import groups_set

HERE = os.path.dirname(os.path.abspath(__file__))
GPT = os.path.join(HERE, "real", "gpt.py")


@dataclasses.dataclass(frozen=True)
class Case:
    """A program, how it is run again, and what must be said then."""
    name: str
    command: tuple[str, ...]
    again: tuple[str, ...]
    judgement: str
    kernel: str | None = None  # that the verdict must name
    needs: str | None = None  # a module of Python

    def arguments(self, programs: str, command: tuple[str, ...]) -> list[str]:
        return [sys.executable, *command] if self.needs else [os.path.join(programs, command[0]), *command[1:]]


CASES = (
    Case("gpt", (GPT, "50"), (GPT, "50"), "same", needs="torch"),
    Case("growing", ("groups/growing", "300"), ("groups/growing", "300"), "same"),
    Case("planted", ("groups/growing", "300"), ("groups/growing", "300", "5"), "worse", "copy"),
)


def wrong(case: Case, comparison: dict) -> str | None:
    """What the comparison says that it should not; None: it is right."""
    if comparison["judgement"] != case.judgement:
        return f"{comparison['judgement']}: {comparison['verdict']}"
    changed = [each for each in comparison["kernels"] if each["decides"] and each["judgement"] != "same"]
    if case.kernel and [each["name"].split("(")[0] for each in changed] != [case.kernel]:
        return f"it names {[each['name'] for each in changed]}: {comparison['verdict']}"
    return None


def compare(coalescope: str, before: str, after: str) -> dict:
    done = subprocess.run([coalescope, "diff", "--json", before, after], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise groups_set.Failed(f"coalescope diff: {done.stderr.strip()}")
    return json.loads(done.stdout)["comparison"]


def record(coalescope: str, capture: str, command: list[str]):
    done = subprocess.run([coalescope, "record", "--force", "-o", capture, "--", *command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise groups_set.Failed(f"{' '.join(command)}: status {done.returncode}: {done.stderr[-300:]}")


class Answers:
    """What was said so far, kept in a file."""

    def __init__(self, path: str):
        self.path = path
        self.of: dict[str, list] = {}
        if os.path.exists(path):
            with open(path) as file:
                self.of = json.load(file)

    def add(self, name: str, answer: str | None):
        self.of.setdefault(name, []).append(answer)
        with open(self.path + ".new", "w") as file:
            json.dump(self.of, file, indent=1)
        os.replace(self.path + ".new", self.path)


def run_case(coalescope: str, programs: str, out: str, case: Case, repeat: int, answers: Answers, may_begin) -> bool:
    """False: there is more to do."""
    first, other = (os.path.join(out, f"diff-{case.name}-{which}.coal") for which in ("first", "other"))
    if len(answers.of.get(case.name, [])) >= repeat:
        return True
    if not os.path.exists(first):
        record(coalescope, first, case.arguments(programs, case.command))
    while len(answers.of.get(case.name, [])) < repeat:
        if not may_begin():
            return False
        record(coalescope, other, case.arguments(programs, case.again))
        answer = wrong(case, compare(coalescope, first, other))
        if answer:  # to be looked at
            os.replace(other, os.path.join(out, f"diff-{case.name}-wrong-{len(answers.of.get(case.name, []))}.coal"))
        answers.add(case.name, answer)
    return True


def figure(case: Case, answers: list, repeat: int) -> figures.Figure:
    what = f"{case.name}: answers that are not '{case.judgement}', of {len(answers)}"
    faults = [each for each in answers if each]
    if len(answers) < repeat:
        return figures.Figure("diff", what, None, "", note=f"{len(answers)} of {repeat} recorded: call it again", failed=True)
    return figures.Figure("diff", what, float(len(faults)), "", 0, note=faults[0] if faults else "")


def run_set(coalescope: str, programs: str, out: str, repeat: int, limit_s: float, names: list[str]) -> int:
    """Status 0: every answer was right."""
    began = time.perf_counter()
    answers = Answers(os.path.join(out, "diff.json"))
    rows = []
    for case in CASES:
        if names and case.name not in names:
            continue
        if case.needs and importlib.util.find_spec(case.needs) is None:
            rows.append(figures.Figure("diff", case.name, None, "", note=f"there is no {case.needs} here"))
            continue
        print(f"{case.name} ...", file=sys.stderr, flush=True)
        try:
            run_case(coalescope, programs, out, case, repeat, answers, lambda: time.perf_counter() - began < limit_s)
            rows.append(figure(case, answers.of.get(case.name, []), repeat))
        except (groups_set.Failed, OSError) as failed:
            rows.append(figures.Figure("diff", case.name, None, "", note=str(failed), failed=True))
    print(figures.text_table(rows), end="")
    return 1 if any(row.verdict() in ("NOT MET", "FAILED") for row in rows) else 0
