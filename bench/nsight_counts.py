"""Counts of accesses by Nsight Compute beside coalescope's.

coalescope counts by instructions that it adds to the code, Nsight Compute here by counters of the GPU's units, so that
the two have nothing in common. Kernels whose launches differ have a range of counts.
"""
from __future__ import annotations

import csv
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
    kernel: str
    count: str
    ours: int
    least: int  # of the launches that ncu measured
    most: int

    @property
    def alike(self) -> bool:
        return self.least <= self.ours <= self.most


def rows_of(text: str) -> list[dict]:
    """The table begins somewhere behind lines of ncu's and the program's own; its second line has the units."""
    lines = text.splitlines()
    start = next((at for at, line in enumerate(lines) if line.startswith('"ID",')), None)
    return [] if start is None else list(csv.DictReader(line for line in lines[start:] if line.startswith('"')))[1:]


def measure(program: list[str], invocations: str, path: str) -> list[dict]:
    ncu = nsight.find()
    if ncu is None:
        raise OSError("ncu is neither on the PATH nor in the CUDA Toolkit: install Nsight Compute")
    command = [ncu, "--csv", "--page", "raw", "--print-kernel-base", "mangled", "--print-units", "base", "--clock-control", "none",
               "--cache-control", "none", "--kernel-id", f":::{invocations}", "--metrics", ",".join(COUNTERS.values())]
    said = subprocess.run(command + program, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False).stdout
    with open(path, "w", encoding="utf-8") as file:
        file.write(said)
    found = rows_of(said)
    if not found:
        raise OSError(f"ncu measured nothing; {path} has what it printed")
    return found


def place_of(name: str, grid: list[int], block: list[int]) -> tuple:
    return name, tuple(grid), tuple(block)


def sizes(text: str) -> list[int]:
    return [int(part) for part in text.strip("()").split(",")]


def own_count(kernel: dict, name: str) -> int | None:
    group, _, field = name.partition(".")
    return kernel[group][field] if field else kernel[group]


def compare(kernels: list[dict], theirs: list[dict]) -> list[Row]:
    by_place: dict[tuple, list[dict]] = {}
    for row in theirs:
        by_place.setdefault(place_of(row[NAME], sizes(row[GRID]), sizes(row[BLOCK])), []).append(row)
    rows = []
    for kernel in kernels:
        measured = by_place.get(place_of(kernel["mangled_name"], kernel["grid"], kernel["block"]), [])
        for name, counter in COUNTERS.items():
            ours = own_count(kernel, name)
            counts = [int(float(row[counter].replace(",", ""))) for row in measured if row.get(counter)]
            if ours is not None and counts and (ours or max(counts)):
                rows.append(Row(kernel["name"], name, ours, min(counts), max(counts)))
    return rows


def table(rows: list[Row]) -> str:
    alike = sum(row.alike for row in rows)
    lines = [f"{alike} of {len(rows)} counts are the same, of {len({row.kernel for row in rows})} kernels."]
    if alike < len(rows):
        lines += ["", "| kernel | count | coalescope | Nsight Compute | |", "|---|---|---:|---:|---:|"]
    for row in rows:
        if row.alike:
            continue
        nearest = min((row.least, row.most), key=lambda each: abs(each - row.ours))
        off = f"{(row.ours - nearest) / nearest:+.2%}" if nearest else "more"
        seen = f"{row.least:,}" if row.least == row.most else f"{row.least:,} to {row.most:,}"
        lines.append(f"| {row.kernel[:60]} | {row.count} | {row.ours:,} | {seen} | {off} |")
    return "\n".join(lines)
