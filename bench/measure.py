"""Runs programs natively and under coalescope, by turns so that a drift of the machine touches both alike, and keeps
every time that was taken."""
from __future__ import annotations

import dataclasses
import json
import os
import statistics
import subprocess
import threading
import time

PROCESS_LIMIT_S = 180
SAMPLE_EVERY_S = 0.05


class RunFailed(Exception):
    """A program did not end well, or said that its result is wrong."""


@dataclasses.dataclass
class Run:
    wall_s: float
    said: dict  # the line of JSON that the program printed
    peak_kb: dict  # name of a process: its largest resident memory; empty unless it was watched

    def loop_s(self) -> float:
        return self.said["loop_ns"] / 1e9


def descendants(ancestor: int) -> list[int]:
    """The process and all that it started, whichever of them are alive."""
    parents = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat") as stat:
                parents[int(entry)] = int(stat.read().rpartition(")")[2].split()[1])
        except OSError:
            continue  # it has ended
    found = [ancestor]
    for pid in found:
        found += [child for child, parent in parents.items() if parent == pid]
    return found


def status_of(pid: int) -> tuple[str, int]:
    """Name and largest resident memory so far of a process; it may have ended."""
    try:
        with open(f"/proc/{pid}/status") as status:
            lines = dict(line.split(":", 1) for line in status if ":" in line)
        return lines["Name"].strip(), int(lines["VmHWM"].split()[0])
    except (OSError, KeyError):
        return "", 0


class MemoryWatch(threading.Thread):
    """Samples the memory of a process and its descendants until it is stopped."""

    def __init__(self, pid: int):
        super().__init__(daemon=True)
        self.pid = pid
        self.peak_kb: dict = {}
        self.stopped = threading.Event()

    def run(self):
        while not self.stopped.wait(SAMPLE_EVERY_S):
            for pid in descendants(self.pid):
                name, kb = status_of(pid)
                if name:
                    self.peak_kb[name] = max(kb, self.peak_kb.get(name, 0))


def run_once(command: list[str], watch: bool = False) -> Run:
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    watcher = MemoryWatch(process.pid) if watch else None
    if watcher:
        watcher.start()
    try:
        out, errors = process.communicate(timeout=PROCESS_LIMIT_S)
    except subprocess.TimeoutExpired:
        process.terminate()
        process.communicate()
        raise RunFailed(f"'{' '.join(command)}' ran for more than {PROCESS_LIMIT_S} s") from None
    wall_s = time.perf_counter() - began
    if watcher:
        watcher.stopped.set()
        watcher.join()
    said = next((json.loads(line) for line in out.splitlines() if line.startswith("{")), {})
    if process.returncode != 0 or not said.get("right"):
        raise RunFailed(f"'{' '.join(command)}' ended with {process.returncode}: {(errors or out)[-1500:].strip()}")
    return Run(wall_s, said, watcher.peak_kb if watcher else {})


def run_to_end(command: list[str]) -> tuple[float, float, float]:
    """Seconds, seconds of the processor, and largest resident memory in MB of a program that starts no other."""
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    wall_s = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RunFailed(f"'{' '.join(command)}' ended with {process.returncode}")
    return wall_s, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def by_turns(repeat: int, variants: dict, watch: bool = False) -> dict:
    """Runs each variant `repeat` times; in every other round they go in the opposite order."""
    runs: dict = {name: [] for name in variants}
    for i in range(repeat):
        names = list(variants) if i % 2 == 0 else list(variants)[::-1]
        for name in names:
            runs[name].append(run_once(variants[name](), watch))
    return runs


@dataclasses.dataclass
class Quantity:
    """One quantity over several runs: the middle one counts, the extremes show how sure it is."""

    values: list

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    def ratio_to(self, native: "Quantity") -> "Quantity":
        return Quantity([mine / other for mine, other in zip(self.values, native.values)])


def walls(runs: list) -> Quantity:
    return Quantity([run.wall_s for run in runs])


def loops(runs: list) -> Quantity:
    return Quantity([run.loop_s() for run in runs])
