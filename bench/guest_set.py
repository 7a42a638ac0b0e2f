"""Whether recording leaves alone what a program times to choose by: autotuners must choose the same kernels natively and
recorded, and an autotuning JAX program must live and say the same in 50 recordings without a budget.

Goes on where it was cut off: each answer stands in guest.json of the output folder."""
from __future__ import annotations

import collections
import importlib.util
import json
import os
import random
import subprocess
import sys
import tempfile
import time

import diff_set
import figures

HERE = os.path.dirname(os.path.abspath(__file__))
LIMIT_S = 300  # of one run
RUNS = 50
PAIRS = 20
# Native runs of some autotuners do not agree. Chance must explain how recorded runs differ from them.
SPLITS = 5000
MOST_BELOW = 99  # %
# Autotuners: the program, and the module that it needs.
TUNERS = {"triton": ("tune_triton.py", "triton"), "xla": ("tune_xla.py", "jax"), "inductor": ("tune_inductor.py", "triton")}
PARTS = ("jax", *TUNERS)


def environment(folder: str, out: str) -> dict:
    """Triton's kernels are compiled once for all runs; what was tuned is not kept."""
    return os.environ | {"TORCHINDUCTOR_CACHE_DIR": os.path.join(folder, "inductor"), "TRITON_CACHE_DIR": os.path.join(out, "guest-triton"),
                         "XLA_PYTHON_CLIENT_MEM_FRACTION": ".20"}


def answer(command: list[str], out: str) -> list:
    """[status, stdout] of one run; a run that does not end has the status 124."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=LIMIT_S, check=False,
                                  env=environment(folder, out))
        except subprocess.TimeoutExpired:
            return [124, ""]
    return [done.returncode, done.stdout if done.returncode == 0 else done.stderr[-500:]]


def choices(answers: list) -> list[dict]:
    return [json.loads(out.strip().splitlines()[-1]) for status, out in answers if status == 0]


def unanimous(of: list[dict]) -> dict:
    """What was chosen for each problem for which all chose the same."""
    said = collections.defaultdict(set)
    for each in of:
        for problem, choice in each.items():
            said[problem].add(choice)
    return {problem: next(iter(chosen)) for problem, chosen in said.items()
            if len(chosen) == 1 and all(problem in each for each in of)}


def distance(one: list[dict], other: list[dict]) -> float:
    """How far the two choose differently: 0 to 1 for each problem."""
    sum_of = 0.0
    for problem in {problem for each in one + other for problem in each}:
        shares = collections.Counter()
        for side, sign in ((one, 1), (other, -1)):
            for each in side:
                shares[each.get(problem)] += sign / len(side)
        sum_of += sum(map(abs, shares.values())) / 2
    return sum_of


def splits_below(native: list[dict], recorded: list[dict]) -> float | None:
    """The share of random splits of all runs whose parts differ less than native and recorded runs do."""
    if not native or not recorded:
        return None
    real, runs, dice = distance(native, recorded) - 1e-9, native + recorded, random.Random(1)
    below = 0
    for _ in range(SPLITS):
        dice.shuffle(runs)
        below += distance(runs[:len(native)], runs[len(native):]) < real
    return 100 * below / SPLITS


def tuner_figures(name: str, native: list, recorded: list) -> list[figures.Figure]:
    failed = sum(status != 0 for status, _ in native + recorded)
    natively, under = choices(native), choices(recorded)
    agreed = unanimous(natively)
    problems = len({problem for each in natively for problem in each})
    differ = [problem for problem, choice in agreed.items() if any(each.get(problem) != choice for each in under)]
    what = f"{name}: problems for which {len(natively)} native runs agree ({len(agreed)} of {problems}) and {len(under)} recorded do not"
    return [figures.Figure("guest", f"{name}: runs that failed, of {len(native) + len(recorded)}", float(failed), "", 0),
            figures.Figure("guest", what, float(len(differ)) if agreed else None, "", 0, note=" ".join(differ)),
            figures.Figure("guest", f"{name}: random splits of these runs that differ less", splits_below(natively, under), "%", MOST_BELOW)]


def jax_figures(native: list, recorded: list) -> list[figures.Figure]:
    other = [each for each in recorded if each not in native]
    note = f"{len({tuple(each) for each in native})} answers natively" + (f"; {other[0]}" if other else "")
    what = f"jax: recordings with another status or output, of {len(recorded)}"
    return [figures.Figure("guest", what, float(len(other)) if native else None, "", 0, note=note)]


class Part:
    def __init__(self, name: str, coalescope: str, out: str):
        self.name, self.out = name, out
        self.answers = diff_set.Answers(os.path.join(out, "guest.json"))
        script = os.path.join(HERE, "guest", TUNERS[name][0]) if name in TUNERS else os.path.join(HERE, "real", "jax_steps.py")
        self.command = [sys.executable, script, *([] if name in TUNERS else ["20"])]
        options = [] if name in TUNERS else ["--budget", "none"]
        self.recorded = [coalescope, "record", "--force", "-o", os.path.join(out, f"guest-{name}.coal"), *options, "--", *self.command]
        self.wanted = {"native": PAIRS, "recorded": PAIRS} if name in TUNERS else {"native": 5, "recorded": RUNS}

    def of(self, side: str) -> list:
        return self.answers.of.get(f"{self.name} {side}", [])

    def run(self, may_begin) -> bool:
        """By turns. False: there is more to do."""
        while True:
            left = {side: count - len(self.of(side)) for side, count in self.wanted.items()}
            # In proportion, so that a part of the runs can be compared, too.
            side = max(left, key=lambda each: left[each] / self.wanted[each])
            if left[side] <= 0:
                return True
            if not may_begin():
                return False
            self.answers.add(f"{self.name} {side}", answer(self.command if side == "native" else self.recorded, self.out))

    def figures(self) -> list[figures.Figure]:
        native, recorded = self.of("native"), self.of("recorded")
        return tuner_figures(self.name, native, recorded) if self.name in TUNERS else jax_figures(native, recorded)


def run_set(coalescope: str, out: str, limit_s: float, names: list[str]) -> int:
    """Status 0: every answer was right; 3: there is more to do."""
    began = time.perf_counter()
    rows, more = [], False
    for name in names or PARTS:
        module = TUNERS[name][1] if name in TUNERS else "jax"
        if importlib.util.find_spec(module) is None:
            rows.append(figures.Figure("guest", name, None, "", note=f"there is no {module} here"))
            continue
        print(f"{name} ...", file=sys.stderr, flush=True)
        part = Part(name, coalescope, out)
        more = not part.run(lambda: time.perf_counter() - began < limit_s) or more
        rows += part.figures()
    print(figures.text_table(rows), end="")
    if more:
        print("There is more to do: run the same command again.")
        return 3
    return 1 if any(row.verdict() in ("NOT MET", "FAILED") for row in rows) else 0
