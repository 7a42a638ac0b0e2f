"""Counts of accesses by Nsight Compute beside coalescope's, of the same launches.

coalescope counts by instructions that it adds to the code, kernel by kernel ("bytes") and line by line ("lines"); Nsight
Compute here counts by counters of the GPU's units, so that it has nothing in common with either.
"""
from __future__ import annotations

import csv
import sqlite3
import subprocess
from dataclasses import dataclass

import nsight

# What reports call it, and the counter of the GPU. Of requests and sectors that the load-store unit makes.
COUNTERS = {
    "load.requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "load.sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "store.requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "store.sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "reduction.sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
    "atomic.sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
    "local_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
    "local_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
    "instructions": "smsp__inst_executed.sum",
}
NAME, GRID, BLOCK = "Kernel Name", "Grid Size", "Block Size"


@dataclass
class Row:
    phase: str
    kernel: str
    count: str
    ours: int
    least: int  # by ncu, of the launches that coalescope measured
    most: int

    @property
    def alike(self) -> bool:
        return self.least <= self.ours <= self.most


def rows_of(text: str) -> list[dict]:
    """The table begins somewhere behind lines of ncu's and the program's own; its second line has the units."""
    lines = text.splitlines()
    start = next((at for at, line in enumerate(lines) if line.startswith('"ID",')), None)
    return [] if start is None else list(csv.DictReader(line for line in lines[start:] if line.startswith('"')))[1:]


def invocations(capture: str) -> dict[int, tuple[str, set[int]]]:
    """For each group its kernel's mangled name, and which launches of this name coalescope measured. ncu calls these
    numbers invocations; the first is 1."""
    with sqlite3.connect(capture) as file:
        launches = file.execute("SELECT launch.id, group_id, kernel.name, window_id IS NOT NULL FROM launch "
                                "JOIN kernel_group ON kernel_group.id = group_id JOIN kernel ON kernel.id = kernel_id "
                                "ORDER BY start_ns").fetchall()
    if launches and max(launches)[0] != len(launches):
        raise OSError(f"{capture} has no record of some launches, so those that it measured cannot be found")
    seen: dict[str, int] = {}
    chosen: dict[int, tuple[str, set[int]]] = {}
    for _, group, name, is_measured in launches:
        number = seen[name] = seen.get(name, 0) + 1
        if is_measured:
            chosen.setdefault(group, (name, set()))[1].add(number)
    return chosen


def measure(program: list[str], numbers: list[int], path: str) -> list[dict]:
    """What ncu counts in the launches with these numbers, of each kernel that has so many."""
    ncu = nsight.find()
    if ncu is None:
        raise OSError("ncu is neither on the PATH nor in the CUDA Toolkit: install Nsight Compute")
    command = [ncu, "--csv", "--page", "raw", "--kernel-name-base", "mangled", "--print-kernel-base", "mangled", "--print-units", "base",
               "--clock-control", "none", "--cache-control", "none", "--kernel-id", f":::{'|'.join(map(str, numbers))}",
               "--metrics", ",".join(COUNTERS.values())]
    said = subprocess.run(command + program, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False).stdout
    with open(path, "w", encoding="utf-8") as file:
        file.write(said)
    found = rows_of(said)
    if not found:
        raise OSError(f"ncu measured nothing; {path} has what it printed")
    return found


def sizes(text: str) -> list[int]:
    return [int(part) for part in text.strip("()").split(",")]


def counts_of(rows: list[dict], counter: str) -> list[int]:
    return [int(float(row[counter].replace(",", ""))) for row in rows if row.get(counter)]


def own_count(kernel: dict, name: str) -> int | None:
    group, _, field = name.partition(".")
    return kernel[group][field] if field else kernel[group]


def compare(phase: str, kernels: list[dict], theirs: list[dict], numbers: list[int], chosen: dict[int, tuple[str, set[int]]]) -> list[Row]:
    by_name: dict[str, list[dict]] = {}
    for row in theirs:
        by_name.setdefault(row[NAME], []).append(row)
    rows = []
    for kernel in kernels:
        name, mine = chosen.get(kernel["id"], ("", set()))
        measured = [row for number, row in zip(numbers, by_name.get(name, [])) if number in mine]
        if any(sizes(row[GRID]) != kernel["grid"] or sizes(row[BLOCK]) != kernel["block"] for row in measured):
            raise OSError(f"ncu met launches of {kernel['name']} in another order")
        for count, counter in COUNTERS.items():
            ours, counts = own_count(kernel, count), counts_of(measured, counter)
            if ours is not None and counts and (ours or max(counts)):
                rows.append(Row(phase, kernel["name"], count, ours, min(counts), max(counts)))
    return rows


def table(rows: list[Row]) -> str:
    alike = sum(row.alike for row in rows)
    lines = [f"{alike} of {len(rows)} counts are the same, of {len({row.kernel for row in rows})} kernels."]
    if alike < len(rows):
        lines += ["", "| phase | kernel | count | coalescope | Nsight Compute | |", "|---|---|---|---:|---:|---:|"]
    for row in rows:
        if row.alike:
            continue
        nearest = min((row.least, row.most), key=lambda each: abs(each - row.ours))
        off = f"{(row.ours - nearest) / nearest:+.2%}" if nearest else "more"
        seen = f"{row.least:,}" if row.least == row.most else f"{row.least:,} to {row.most:,}"
        lines.append(f"| {row.phase} | {row.kernel[:60]} | {row.count} | {row.ours:,} | {seen} | {off} |")
    return "\n".join(lines)
