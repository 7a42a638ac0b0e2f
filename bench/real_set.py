"""Runs the programs of bench/real natively, recorded, and recorded with --trace all, by turns, and says of each: whether it behaved the same, how much
longer it took, and for which share of its kernels' time the report has direct answers of each kind.

Goes on where it was cut off: what has been measured stands in real.json of the output folder, program by program."""
from __future__ import annotations

import dataclasses
import importlib.util
import json
import os
import re
import statistics
import subprocess
import sys
import time

from real.table import PROGRAMS, Fault, Program

LIMIT_S = 300  # of one run
ANSWERS = {"degree": ("bytes",), "lines": ("lines",), "L2, DRAM": ("traffic",), "hits": ("hits",)}
COVERED = (*ANSWERS, "in families", "left alone", "in graphs")
# Kernels that wait for others, and what the program times to choose by.
LEFT_ALONE = ("skip_listed", "timed_by_program")


@dataclasses.dataclass
class Run:
    wall_s: float
    steady_s: float | None
    status: int
    out: str
    errors: str = dataclasses.field(repr=False, default="")


def run(command: list[str]) -> Run:
    began = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=LIMIT_S, check=False)
    wall_s = time.perf_counter() - began
    said = re.findall(r"^steady ([\d.]+) s$", done.stderr, re.M)
    return Run(wall_s, max(map(float, said), default=None), done.returncode, done.stdout, done.stderr[-2000:])


def missing(program: Program, programs: str, gpus: int) -> str | None:
    """Why it cannot run here."""
    for module in program.needs:
        if importlib.util.find_spec(module) is None:
            return f"there is no {module} here"
    if gpus < program.gpus:
        return f"it needs {program.gpus} GPUs"
    if not program.needs and not os.path.exists(program.arguments(programs)[0]):
        return "it is not built; see bench/README.md"
    return None


def answered(kernel: dict, phases: tuple) -> bool:
    return all(kernel[phase]["measured"] > 0 for phase in phases)


def lacks_for(kernel: dict, *reasons: str) -> bool:
    return any(gap["reason"] in reasons for gap in kernel["unmeasured"])


def family_answers(family: dict) -> bool:
    """All four kinds, each from shapes that span its sizes: eight of them, or all there are."""
    return all(phase["shapes"] >= min(8, family["shapes"]) for phase in family["phases"])


def coverage(report: dict) -> dict:
    """Of each kind of answer the share of the kernels' time for which there is one, beside kernels that must be left alone;
    the share in families with all kinds; that of kernels left alone, and of those in graphs."""
    timed = [kernel for kernel in report["kernels"] if kernel["gpu_ns"]]
    alone = [kernel for kernel in timed if lacks_for(kernel, *LEFT_ALONE)]
    others = [kernel for kernel in timed if not lacks_for(kernel, *LEFT_ALONE)]

    def share(kernels: list, of: list) -> float | None:
        whole_ns = sum(kernel["gpu_ns"] for kernel in of)
        return sum(kernel["gpu_ns"] for kernel in kernels) / whole_ns if whole_ns else None

    ids = {kernel_id for family in report["kernel_families"] if family_answers(family) for kernel_id in family["kernel_ids"]}
    shares = {name: share([kernel for kernel in others if answered(kernel, phases)], others) for name, phases in ANSWERS.items()}
    return shares | {"in families": share([kernel for kernel in others if kernel["id"] in ids], others),
                     "left alone": share(alone, timed),
                     "in graphs": share([kernel for kernel in timed if lacks_for(kernel, "in_graph")], timed)}


def is_hit(fault: Fault, finding: dict) -> bool:
    return bool(re.fullmatch(fault.rule, finding["rule"]) and re.search(fault.subject, finding["subject"])
                and fault.place in (finding["file"] or finding["call_file"] or ""))


def is_alarm(program: Program, finding: dict) -> bool:
    return any(re.search(rf"\b{name}\b", finding["subject"]) for name in program.clean)


def label_of(program: Program, finding: dict) -> str | None:
    if any(is_hit(fault, finding) for fault in program.faults):
        return "right"
    if is_alarm(program, finding):
        return "wrong"
    return next((label.verdict for label in program.labels
                 if label.rule == finding["rule"] and re.search(label.subject, finding["subject"])), None)


def judge(program: Program, report: dict) -> dict:
    found = report["findings"]
    hits = [next((each for each in found if is_hit(fault, each)), None) for fault in program.faults]
    alarms = [each for each in found if is_alarm(program, each)]
    return {"false": len(alarms), "planted": len(hits), "named": sum(hit is not None for hit in hits),
            "priced": sum(hit is not None and hit["lost_ns"] is not None for hit in hits),
            "findings": [(f"{each['rule']} {each['subject'][:60]}", label_of(program, each)) for each in found if not each.get("aside")]}


def spent_and_allowed(report: dict) -> tuple[float, float]:
    processes = report["processes"]
    spent_ns = max((each["measuring_cost_ns"] or 0 for each in processes), default=0)
    longest_s = max((each["ended_ns"] or 0 for each in processes), default=0) / 1e9
    return spent_ns / 1e9, max(1 + 0.05 * longest_s, min(0.12 * longest_s, 4))  # the default budget


def measure(program: Program, coalescope: str, programs: str, folder: str, repeat: int) -> dict:
    command = program.arguments(programs)
    capture = os.path.join(folder, f"real-{program.name}.coal")

    def recorded(path: str, *options: str) -> list[str]:
        return [coalescope, "record", "--force", *options, "-o", path, "--", *command]

    sides = {"native": command, "recorded": recorded(capture),
             "traced": recorded(os.path.join(folder, "real-traced.coal"), "--trace", "all")}
    runs: dict = {side: [] for side in sides}
    reports = []
    run(command)  # fills caches; not counted
    for turn in range(repeat):
        for side in sides if turn % 2 == 0 else reversed(sides):
            runs[side].append(run(sides[side]))
            if side == "recorded":
                done = subprocess.run([coalescope, "report", "--json", capture], capture_output=True, text=True, check=False)
                reports.append(json.loads(done.stdout) if done.returncode == 0 else None)
    alike = {(each.status, each.out) for each in sum(runs.values(), [])}
    row = {"same": len(alike) == 1 and runs["native"][0].status == 0, "length": program.length,
           **{side: [dataclasses.asdict(each) for each in done] for side, done in runs.items()}}
    if all(reports):
        shares = [coverage(each) for each in reports]
        row |= {"coverage": {name: middle(shares, name) for name in COVERED}, "coverages": shares,
                "faults": judge(program, reports[-1])}
        spent = [spent_and_allowed(each) for each in reports]
        row["spent_s"], row["allowed_s"] = (statistics.median(each) for each in zip(*spent))
    return row


def middle(runs: list[dict], what: str) -> float | None:
    """The median, of the runs that have it."""
    values = [each[what] for each in runs if each[what] is not None]
    return statistics.median(values) if values else None


def times(over: float | None, under: float | None) -> str:
    return f"{over / under:.2f}x" if over and under else "-"


def percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.0f} %"


def table(results: dict) -> str:
    """Markdown: a line a program."""
    head = ["program", "same", "native s", "process", "steady", "steady, all traced", "spent / allowed s", *COVERED, "faults named, priced", "false alarms"]
    rows = [head, ["---"] * len(head)]
    for name, row in results.items():
        if "why" in row:
            rows.append([name, f"not run: {row['why']}", *[""] * (len(head) - 2)])
            continue
        shares, faults = row.get("coverage", {}), row.get("faults")
        wall = [middle(row[side], "wall_s") for side in ("native", "recorded")]
        steady = [middle(row[side], "steady_s") for side in ("native", "recorded", "traced")]
        rows.append([name, "yes" if row["same"] else "NO", f"{wall[0]:.2f}", times(wall[1], wall[0]),
                     times(steady[1], steady[0]), times(steady[2], steady[0]),
                     f"{row['spent_s']:.2f} / {row['allowed_s']:.2f}" if "spent_s" in row else "-",
                     *(percent(shares.get(answer)) for answer in COVERED),
                     f"{faults['named']}, {faults['priced']} of {faults['planted']}" if faults else "-",
                     str(faults["false"]) if faults else "-"])
    return "".join("| " + " | ".join(row) + " |\n" for row in rows) + labelled(results)


def labelled(results: dict) -> str:
    """The findings that a report shows, with what reading the code says of each (real/table.py)."""
    found = [(name, text, label) for name, row in results.items() for text, label in row.get("faults", {}).get("findings", [])]
    if not found:
        return ""
    right = sum(label == "right" for _, _, label in found)
    text = f"\n{right} of {len(found)} findings that reports show are right:\n\n"
    return text + "".join(f"- {name}: {text}: {label or 'not labelled'}\n" for name, text, label in found)


def read(path: str) -> dict:
    with open(path) as file:
        return json.load(file)


def run_set(coalescope: str, programs: str, out: str, repeat: int, limit_s: float, gpus: int, names: list[str]) -> int:
    """Status 0 when all have been measured, 3 when there is more to do, 1 when a program behaved differently."""
    path = os.path.join(out, "real.json")
    results = read(path) if os.path.exists(path) else {}
    began = time.perf_counter()
    for program in PROGRAMS:
        if program.name in results or names and program.name not in names:
            continue
        if time.perf_counter() - began > limit_s:
            print(table(results), end="")
            print("There is more to do: run the same command again.")
            return 3
        print(f"{program.name} ...", file=sys.stderr, flush=True)
        why = missing(program, programs, gpus)
        try:
            results[program.name] = {"why": why} if why else measure(program, coalescope, programs, out, repeat)
        except subprocess.TimeoutExpired:
            results[program.name] = {"why": f"a run took more than {LIMIT_S} s"}
        with open(path, "w") as file:
            json.dump(results, file, indent=1)
    print(table(results), end="")
    return 0 if all(row.get("same", True) for row in results.values()) else 1
