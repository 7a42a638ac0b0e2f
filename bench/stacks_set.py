"""Whether launches and copies of PyTorch programs name the line that made them: a recording is compared with PyTorch's own stacks
and profiler, which tell of a native run of the same program."""
from __future__ import annotations

import collections
import ctypes
import functools
import importlib.util
import json
import os
import sqlite3
import subprocess
import sys
import time

import figures

HERE = os.path.dirname(os.path.abspath(__file__))
REAL = os.path.join(HERE, "real")
# Short runs: PyTorch's profiler keeps every event in memory.
PROGRAMS = {"gpt": ("gpt.py", "15"), "convnet": ("convnet.py", "1"), "decode": ("decode.py", "20")}
LIMIT_S = 300  # of one run
MOST_OTHER = 2  # % of the launches
MOST_WITHOUT = 5  # % of the time

Lines = dict  # {kernel or copy: {line: launches}}


@functools.cache
def demangled(name: str) -> str:
    demangle = ctypes.CDLL("libstdc++.so.6").__cxa_demangle
    demangle.restype = ctypes.c_char_p
    return (demangle(name.encode(), None, None, None) or name.encode()).decode()


def source_line(file: str, line: int) -> str:
    with open(os.path.join(REAL, file)) as source:
        return source.read().splitlines()[line - 1]


def line_text(file: str, line: int) -> str:
    """backward() launches on its own thread and on autograd's: both are "backward"."""
    return "backward" if ".backward(" in source_line(file, line) else f"{file}:{line}"


def own_line(sites: dict, site: int | None) -> str:
    """The innermost frame in a file of bench/real; "": there is none."""
    while site is not None:
        caller, file, line = sites[site]
        if file is not None and os.path.dirname(os.path.abspath(file)) == REAL:
            return line_text(os.path.basename(file), line)
        site = caller
    return ""


def native_lines(answer: Lines) -> Lines:
    """What pytorch_stacks.py wrote."""
    found: Lines = collections.defaultdict(collections.Counter)
    for name, lines in answer.items():
        for line, launches in lines.items():
            file, colon, number = line.partition(":")
            found[name][line_text(file, int(number)) if colon else line] += launches
    return found


def recorded_lines(capture: str) -> dict:
    """What the capture says: launches and time of kernels and copies by line, and the time of all of them."""
    database = sqlite3.connect(capture)
    sites = {row[0]: row[1:] for row in database.execute("SELECT id, caller_id, file, line FROM call_site")}
    found = {"kernel": collections.defaultdict(collections.Counter), "time": collections.Counter(), "copies": collections.Counter()}
    for name, site, launches, gpu_ns in database.execute(
            "SELECT k.name, s.call_site_id, s.launches, s.gpu_ns FROM launch_site s JOIN kernel_group g ON g.id = s.group_id "
            "JOIN kernel k ON k.id = g.kernel_id JOIN site_role r ON r.id = s.role WHERE r.name != 'graph_node'"):
        line = own_line(sites, site)
        found["kernel"][demangled(name)][line] += launches
        found["time"][demangled(name), line] += gpu_ns
    for site, transfers, gpu_ns in database.execute(
            "SELECT call_site_id, transfers, gpu_ns FROM transfer_site JOIN direction d ON d.id = direction WHERE d.name != 'set'"):
        found["copies"][own_line(sites, site)] += transfers
        found["time"]["copies", own_line(sites, site)] += gpu_ns
    found["all_ns"] = sum(database.execute(f"SELECT coalesce(sum(gpu_ns), 0) FROM {table}").fetchone()[0]
                          for table in ("launch", "transfer JOIN direction d ON d.id = direction WHERE d.name != 'set'"))
    return found


def at_other_lines(recorded: Lines, native: Lines) -> dict:
    """Launches at a line to which PyTorch attributes fewer: {(name, line): launches}. Launches that no operator made have no line there."""
    other = {}
    for name, lines in recorded.items():
        theirs = native.get(name, {})
        unknown = theirs.get("", 0)
        for line, launches in lines.items():
            more = max(0, launches - theirs.get(line, 0))
            excused = min(more, unknown)
            unknown -= excused
            if more > excused:
                other[name, line] = more - excused
    return other


def judged(name: str, recorded: dict, native: dict) -> list[figures.Figure]:
    launches = sum(sum(lines.values()) for lines in recorded["kernel"].values())
    kernels = native_lines(native["kernel"])
    known = sum(sum(lines.values()) for lines in kernels.values())
    other = at_other_lines(recorded["kernel"], kernels)
    note = "; ".join(f"{count} of {kernel[:60]} at {line or 'no line'}" for (kernel, line), count in list(other.items())[:3])
    theirs = sum(native_lines(native["gpu_memcpy"]).values(), collections.Counter())
    other_copies = sum(at_other_lines({"": recorded["copies"]}, {"": theirs}).values())
    with_line = sum(ns for (_, line), ns in recorded["time"].items() if line)
    copies = sum(recorded["copies"].values())
    return [
        figures.Figure("stacks", f"{name}: launches whose stack was looked at, of {known}", 100 * launches / max(1, known), "%"),
        figures.Figure("stacks", f"{name}: launches at another line than PyTorch's, of {launches}",
                       100 * sum(other.values()) / launches if launches else None, "%", MOST_OTHER, note=note),
        figures.Figure("stacks", f"{name}: copies at another line than PyTorch's, of {copies}",
                       100 * other_copies / copies if copies else None, "%", MOST_OTHER),
        figures.Figure("stacks", f"{name}: time of kernels and transfers without a line of the program",
                       100 - 100 * with_line / recorded["all_ns"] if recorded["all_ns"] else None, "%", MOST_WITHOUT)]


def compare(coalescope: str, out: str, name: str) -> list[figures.Figure]:
    script, *arguments = PROGRAMS[name]
    command = [os.path.join(REAL, script), *arguments]
    answers, capture = os.path.join(out, f"stacks-{name}.json"), os.path.join(out, f"stacks-{name}.coal")
    for run in ([sys.executable, os.path.join(HERE, "stacks", "pytorch_stacks.py"), answers, *command],
                [coalescope, "record", "--force", "-o", capture, "--", sys.executable, *command]):
        done = subprocess.run(run, capture_output=True, text=True, errors="replace", timeout=LIMIT_S, check=False)
        if done.returncode != 0:
            return [figures.Figure("stacks", name, None, "", failed=True, note=f"status {done.returncode}: {done.stderr[-300:]}")]
    with open(answers) as file:
        return judged(name, recorded_lines(capture), json.load(file))


def run_set(coalescope: str, out: str, limit_s: float, names: list[str]) -> int:
    if importlib.util.find_spec("torch") is None:
        print("bench/run: there is no torch here", file=sys.stderr)
        return 2
    began, rows = time.perf_counter(), []
    for name in names or PROGRAMS:
        if time.perf_counter() - began > limit_s:
            rows.append(figures.Figure("stacks", name, None, "", note="no time was left"))
            continue
        print(f"{name} ...", file=sys.stderr, flush=True)
        rows += compare(coalescope, out, name)
    print(figures.text_table(rows), end="")
    return 0 if all(row.verdict() in ("met", "") for row in rows) else 1
