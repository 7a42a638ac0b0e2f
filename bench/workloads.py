"""What is measured, and the bound for each figure. A workload runs its programs natively and recorded, and returns rows
of the table with the raw times behind them."""
from __future__ import annotations

import dataclasses
import os
import subprocess
import sys

import captures
import nsight
from figures import Figure
from measure import Quantity, RunFailed, by_turns, loops, run_once, run_to_end, walls

TORCH_STEPS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "torch_steps.py")


@dataclasses.dataclass
class Setup:
    coalescope: str
    programs: str
    folder: str  # captures go here
    repeat: int
    quick: bool
    sampled_us: float | None = None  # what measuring a launch for bytes and for traffic took, once it is known

    def program(self, name: str, *arguments) -> list[str]:
        return [os.path.join(self.programs, name), *map(str, arguments)]

    def capture(self, name: str) -> str:
        return os.path.join(self.folder, f"{name}.coal")

    def recorded(self, name: str, options: list[str], command: list[str]) -> list[str]:
        """The command under coalescope; a capture of an earlier run gives way."""
        if os.path.exists(self.capture(name)):
            os.remove(self.capture(name))
        return [self.coalescope, "record", "-o", self.capture(name), *options, "--", *command]

    def pair(self, name: str, options: list[str], command: list[str], launches: int, watch: bool = False,
             repeat: int | None = None) -> tuple[list, list]:
        """Fails unless the capture holds so many launches: what is not recorded costs nothing."""
        run_once(command)  # loads the program and wakes the GPU; not counted
        runs = by_turns(repeat or self.repeat, {
            "native": lambda: command, "recorded": lambda: self.recorded(name, options, command)}, watch)
        held = captures.launches(self.capture(name))
        if held is not None and held < launches:
            raise RunFailed(f"the last capture holds {held:,} launches instead of {launches:,}")
        return runs["native"], runs["recorded"]


def compared(workload: str, what: str, native: Quantity, recorded: Quantity, bound: float | None) -> Figure:
    ratios = recorded.ratio_to(native)
    return Figure(workload, what, recorded.median / native.median, "x", bound, native=native.median,
                  recorded=recorded.median, spread=ratios.values)


def raw(**runs) -> dict:
    return {name: [dataclasses.asdict(run) for run in several] for name, several in runs.items()}


def launch_loop(setup: Setup):
    launches = 20_000
    native, recorded = setup.pair("launch_loop", [], setup.program("launch_loop", launches), launches)
    whole = compared("launch loop", "whole process", walls(native), walls(recorded), None)
    allowed_s = 1.3 * whole.native + 1.5
    over = Figure("launch loop", f"whole process, {launches:,} launches", whole.recorded, "s", allowed_s,
                  f"<= 1.3x + 1.5 s = {allowed_s:.2f} s", whole.native, whole.recorded)
    loop = compared("launch loop", "the loop itself", loops(native), loops(recorded), None)
    return [over, whole, loop], {**raw(native=native, recorded=recorded),
                                 "phases": captures.phases(setup.capture("launch_loop"))}


def start(setup: Setup):
    """What a program that does nothing takes longer; no GPU is needed for this."""
    times: dict = {"native": [], "recorded": []}
    for _ in range(20 if setup.quick else 100):
        for name, command in (("native", ["true"]), ("recorded", setup.recorded("start", [], ["true"]))):
            times[name].append(run_to_end(command)[0] * 1e3)
    native, recorded = (Quantity(values) for values in times.values())
    more = Quantity([mine - other for mine, other in zip(recorded.values, native.values)])
    return [Figure("start", "a program that does nothing, beyond a native run", more.median, "ms", 10,
                   native=native.median, recorded=recorded.median, side_unit="ms", spread=more.values)], times


def trace_only(setup: Setup):
    launches = 20_000
    native, recorded = setup.pair("trace_only", ["--phases", "trace"], setup.program("launch_loop", launches), launches)
    rows = [compared("trace only", "the loop itself", loops(native), loops(recorded), 1.3),
            compared("trace only", "whole process", walls(native), walls(recorded), None)]
    return rows, raw(native=native, recorded=recorded)


SAMPLED = {  # name: phases, and which part of the launches each phase is asked for
    "sampled_bytes": ("bytes", 1),
    "sampled_traffic": ("traffic", 1),
    "sampled_halves": ("bytes,traffic", 2),
}


def sampled(setup: Setup):
    """Every launch measured: for bytes, for traffic, and half of the launches for either."""
    launches = 5_000 if setup.quick else 20_000
    command = setup.program("launch_loop", launches)
    variants = {"native": lambda: command}
    for name, (phases, share) in SAMPLED.items():
        # Of bytes, which are counted by patching, half as many samples are taken.
        options = ["--samples", str(2 * launches // share), "--budget", "none", "--phases", phases]
        variants[name] = lambda name=name, options=options: setup.recorded(name, options, command)
    runs = by_turns(setup.repeat, variants)

    per_launch = {name: [run.loop_s() / launches * 1e6 for run in several] for name, several in runs.items()}
    rows = []
    for name, (phases, _) in SAMPLED.items():
        counted = captures.sampled_launches(setup.capture(name))
        us = Quantity(per_launch[name])
        row = Figure("all sampled", f"the loop, {phases}, per launch", us.median, "us",
                     native=Quantity(per_launch["native"]).median, recorded=us.median, side_unit="us", spread=us.values)
        if counted is not None and counted < launches - 1:  # one launch runs natively, for its time
            row.note = f"only {counted:,} of {launches:,} launches were measured, so the figure does not count"
            row.figure = None
        rows.append(row)
    both = [row.figure for row in rows[:2]]
    setup.sampled_us = sum(both) if None not in both else None
    rows[2].bound = 100
    rows.append(Figure("all sampled", "bytes and traffic of each launch, in two runs", setup.sampled_us, "us", 100))
    return rows, {**raw(**runs), "phases": {name: captures.phases(setup.capture(name)) for name in SAMPLED}}


def torch_steps(setup: Setup):
    if subprocess.run([sys.executable, "-c", "import torch; assert torch.cuda.is_available()"], check=False,
                      stderr=subprocess.DEVNULL).returncode != 0:
        return [Figure("PyTorch", "", None, "x", note="skipped: no PyTorch with CUDA")], {}
    native, recorded = setup.pair("torch_steps", [], [sys.executable, TORCH_STEPS, "50"], 5 * 50)
    rest = [Quantity([(run.said["loop_ns"] - run.said["first_ns"]) / 1e9 for run in runs])
            for runs in (native, recorded)]
    rows = [compared("PyTorch", "50 steps", loops(native), loops(recorded), 3),
            compared("PyTorch", "the 49 after the first", *rest, 3),
            compared("PyTorch", "whole process", walls(native), walls(recorded), 1.15)]
    return rows, {**raw(native=native, recorded=recorded), "phases": captures.phases(setup.capture("torch_steps"))}


def memory_bound(setup: Setup):
    wanted_s = 3 if setup.quick else 10
    trial_rounds = 200
    run_once(setup.program("memory_bound", 1))  # loads the program and wakes the GPU
    trial_s = run_once(setup.program("memory_bound", trial_rounds)).loop_s()
    rounds = max(1, round(wanted_s / trial_s * trial_rounds))
    native, recorded = setup.pair("memory_bound", [], setup.program("memory_bound", rounds), 5 * rounds)
    row = compared("memory bound", f"whole process, {wanted_s} s of kernels", walls(native), walls(recorded), 1.10)
    if setup.quick:
        row.note = "a shorter run than the bound is meant for: what starting costs weighs more"
    loop = compared("memory bound", "the kernels' part", loops(native), loops(recorded), None)
    return [row, loop], {**raw(native=native, recorded=recorded), "rounds": rounds,
                         "phases": captures.phases(setup.capture("memory_bound"))}


def memory(setup: Setup):
    """What the recorder keeps: the program's own memory after each tenth of its launches, less that of a native run."""
    launches = 200_000 if setup.quick else 1_000_000
    native, recorded = setup.pair("memory", ["--trace", "all"], setup.program("launch_loop", launches), launches, watch=True,
                                  repeat=1 if setup.quick else 3)
    grown_mb = [Quantity([(mine.said["rss_kb"][part] - other.said["rss_kb"][part]) / 1024
                          for mine, other in zip(recorded, native)]).median for part in range(10)]
    peak_mb = [Quantity([max(run.said["peak_kb"], run.peak_kb.get("launch_loop", 0)) / 1024 for run in runs])
               for runs in (native, recorded)]
    extra_mb = [mine - other for mine, other in zip(peak_mb[1].values, peak_mb[0].values)]
    tool_mb = Quantity([run.peak_kb.get("coalescope", 0) / 1024 for run in recorded])
    return [
        Figure("memory", f"at most, {launches:,} launches", Quantity(extra_mb).median, "MB", 300,
               native=peak_mb[0].median, recorded=peak_mb[1].median, side_unit="MB", spread=extra_mb,
               note="beyond the native run after 10, 50 and 100 % of the launches: "
                    + ", ".join(f"{grown_mb[part]:.1f} MB" for part in (0, 4, 9))),
        Figure("memory", "growth from 10 % to 100 %", grown_mb[9] - grown_mb[0], "MB", 15, "flat: <= 15.0 MB"),
        Figure("memory", "coalescope's own process at most", tool_mb.median, "MB"),
    ], raw(native=native, recorded=recorded)


def capture_size(setup: Setup):
    """Reads the captures that the other workloads left."""
    measured = (("memory", "per launch", captures.bytes_a_launch, 40),
                ("memory_bound", "a line", captures.bytes_a_line, 1000),
                ("torch_steps", "an instruction without a line", captures.bytes_a_line, 1000))
    rows, sizes = [], {}
    for name, what, size_of, bound in measured:
        path = setup.capture(name)
        if not os.path.exists(path):
            rows.append(Figure("capture", what, None, "bytes", note=f"workload {name} was not run"))
            continue
        size = size_of(path)
        why = "" if size is not None else "this Python's SQLite cannot read the capture, or it holds none"
        rows.append(Figure("capture", what, size, "bytes", bound, note=why))
        sizes[name] = {"bytes": os.path.getsize(path), "rows": captures.row_counts(path)}
    return rows, sizes


def nsight_compute(setup: Setup):
    """The same counters by Nsight Compute, as a multiple of what they cost in `sampled`."""
    if setup.sampled_us is None:
        return nsight.skipped("skipped: workload sampled has no figure to compare with")
    counters = [captures.counters(setup.capture(name)) for name in ("sampled_bytes", "sampled_traffic")]
    return nsight.compare(setup.program("launch_loop", 20 if setup.quick else 200), counters, setup.sampled_us,
                          setup.folder)


def report(setup: Setup):
    """Reports of a large capture that is made up; no GPU is needed for this."""
    large = setup.capture("large")
    if not os.path.exists(large):
        run_to_end(setup.program("generate_capture", large))
    page = os.path.join(setup.folder, "large.html")
    rows, times = [], {}
    for what, options in (("text", []), ("--json", ["--json"]), ("--html", ["--html", page])):
        runs = [run_to_end([setup.coalescope, "report", large, *options]) for _ in range(setup.repeat)]
        wall_s, processor_s, peak_mb = (Quantity(list(values)) for values in zip(*runs))
        rows += [Figure("report", f"{what}, time", wall_s.median, "s", 1, spread=wall_s.values,
                        note=f"{processor_s.median:.2f} s of the processor's time"),
                 Figure("report", f"{what}, memory at most", peak_mb.median, "MB", 200)]
        times[what] = runs
    return rows, {"runs": times, "bytes": os.path.getsize(large), "rows": captures.row_counts(large)}


WORKLOADS = {
    "start": start,
    "launch_loop": launch_loop,
    "trace_only": trace_only,
    "sampled": sampled,
    "nsight": nsight_compute,
    "torch": torch_steps,
    "memory_bound": memory_bound,
    "memory": memory,
    "capture": capture_size,
    "report": report,
}
