"""Runs the programs of bench/jury natively, records them, and judges the reports by the labels (jury_judge.py).

Goes on where it was cut off: what was measured stands in jury.json of the output folder, program by program."""
from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
import time

import jury_judge
import real_set
from jury.labels import Case

HERE = os.path.dirname(os.path.abspath(__file__))
HALVES = ("open", "public", "held_out", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
          "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth",
          "twentieth", "twenty_first", "twenty_second", "twenty_third",
          "twenty_fourth", "twenty_fifth", "twenty_sixth", "twenty_seventh", "twenty_eighth",
          "twenty_ninth", "thirtieth", "thirty_first")


class Failed(Exception):
    """What a program or coalescope did instead."""


def all_cases() -> dict[str, tuple]:
    return {half: importlib.import_module(f"jury.{half}").CASES for half in HALVES
            if os.path.exists(os.path.join(HERE, "jury", f"{half}.py"))}


def chosen_cases(names: list[str]) -> list[tuple[str, Case]]:
    """With their halves. `names` are of cases and halves; none: all."""
    return [(half, case) for half, cases in all_cases().items() for case in cases
            if not names or half in names or case.name in names]


def sides_of(case: Case) -> tuple[str, ...]:
    return ("fault", "clean") if case.rules else ("clean",)


def command(case: Case, half: str, programs: str) -> list[str]:
    if case.language == "cuda":
        return [os.path.join(programs, "jury", half, case.name)]
    return [sys.executable, jury_judge.source_of(case, half)]


def missing(case: Case, half: str, programs: str) -> str | None:
    """Why it cannot run here."""
    if case.language != "cuda":
        return None if importlib.util.find_spec(case.language) else f"there is no {case.language} here"
    return None if os.path.exists(command(case, half, programs)[0]) else "it is not built; see bench/README.md"


def run(words: list[str]) -> real_set.Run:
    """Python programs import jury/case.py."""
    done = real_set.run(["env", f"PYTHONPATH={HERE}/jury", "PYTHONDONTWRITEBYTECODE=1", *words])
    if done.status != 0:
        raise Failed(f"{' '.join(map(os.path.basename, words[-2:]))} ended with {done.status}: {done.errors[-300:].strip()}")
    return done


def sums(out: str) -> list[float]:
    return [float(each) for each in re.findall(r"^sum (\S+)$", out, re.M)]


def alike(one: float, other: float) -> bool:
    return abs(one - other) <= 1e-3 * max(abs(one), abs(other))


def native(words: list[str], sides: tuple, repeat: int) -> tuple[dict, list[float]]:
    """Seconds of each side's timed rounds, and what it computed."""
    times: dict = {side: [] for side in sides}
    for _ in range(repeat):
        done = run([*words, "both" if len(sides) == 2 else "clean"])
        said = dict(re.findall(r"^(fault|clean) steady ([\d.]+) s$", done.errors, re.M))
        found = sums(done.out)
        if set(said) != set(sides) or len(found) != len(sides) or not all(alike(found[0], each) for each in found):
            raise Failed(f"its sums or times are not what they should be: {done.out.strip()} {done.errors[-200:].strip()}")
        for side in sides:
            times[side].append(float(said[side]))
    return times, found


def capture_of(folder: str, case: Case, side: str) -> str:
    return os.path.join(folder, f"{case.name}.{side}.coal")


def record(coalescope: str, words: list[str], capture: str, side: str, expected: float):
    done = run([coalescope, "record", "--force", "-o", capture, "--", *words, side])
    found = sums(done.out)
    if len(found) != 1 or not alike(found[0], expected):
        raise Failed(f"recorded, its side {side} computed {found}, not {expected}")


def report_of(coalescope: str, capture: str) -> dict:
    done = subprocess.run([coalescope, "report", "--json", capture], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failed(f"coalescope report: {done.stderr.strip()[-300:]}")
    return json.loads(done.stdout)


def judged(coalescope: str, folder: str, half: str, case: Case, times: dict) -> dict:
    reports = {side: report_of(coalescope, capture_of(folder, case, side)) for side in sides_of(case)}
    return {"half": half, "times": times} | jury_judge.judge(case, half, reports, times)


def measure(coalescope: str, programs: str, folder: str, half: str, case: Case, repeat: int, keep: bool) -> dict:
    words, sides = command(case, half, programs), sides_of(case)
    times, found = native(words, sides, repeat)
    try:
        for side, expected in zip(sides, found):
            record(coalescope, words, capture_of(folder, case, side), side, expected)
        return judged(coalescope, folder, half, case, times)
    finally:
        for side in sides:
            if not keep and os.path.exists(capture_of(folder, case, side)):
                os.remove(capture_of(folder, case, side))


def save(results: dict, folder: str):
    with open(os.path.join(folder, "jury.json"), "w") as file:
        json.dump(results, file, indent=1)
    with open(os.path.join(folder, "jury.md"), "w") as file:
        file.write(jury_judge.page(results, all_cases()))


def end(results: dict) -> int:
    print(jury_judge.page(results, all_cases()), end="")
    return 1 if any("why" in row for row in results.values()) else 0


def run_set(coalescope: str, programs: str, out: str, repeat: int, limit_s: float, keep: bool, names: list[str]) -> int:
    """Status 0 when all have been judged, 1 when one could not be, 3 when there is more to do."""
    path = os.path.join(out, "jury.json")
    results = real_set.read(path) if os.path.exists(path) else {}
    began = time.perf_counter()
    for half, case in chosen_cases(names):
        if case.name in results:
            continue
        if time.perf_counter() - began > limit_s:
            end(results)
            print("There is more to do: run the same command again.")
            return 3
        print(f"{case.name} ...", file=sys.stderr, flush=True)
        why = missing(case, half, programs)
        try:
            results[case.name] = {"why": why} if why else measure(coalescope, programs, out, half, case, repeat, keep)
        except subprocess.TimeoutExpired:
            results[case.name] = {"why": f"a run took more than {real_set.LIMIT_S} s"}
        except Failed as failed:
            results[case.name] = {"why": " ".join(str(failed).split())}
        save(results, out)
    return end(results)


def judge_again(coalescope: str, kept: str, out: str, names: list[str]) -> int:
    """Judges captures that were kept, beside the times in their folder's jury.json; needs no GPU. Without names: what is there."""
    path = os.path.join(kept, "jury.json")
    before = real_set.read(path) if os.path.exists(path) else {}
    results: dict = {}
    for half, case in chosen_cases(names):
        row = before.get(case.name, {})
        are_kept = all(os.path.exists(capture_of(kept, case, side)) for side in sides_of(case))
        if not (names or row or are_kept):
            continue
        try:
            if are_kept:
                results[case.name] = judged(coalescope, kept, half, case, row.get("times", {}))
            else:
                results[case.name] = {"why": row.get("why", "its captures were not kept")}
        except Failed as failed:
            results[case.name] = {"why": " ".join(str(failed).split())}
    save(results, out)
    return end(results)
