"""The rows of the benchmark's table, and the table for a terminal and for a document."""
from __future__ import annotations

import dataclasses

COLUMNS = ["workload", "native", "recorded", "figure", "spread", "bound", ""]


@dataclasses.dataclass
class Figure:
    workload: str
    what: str
    figure: float | None  # None: not measured, and the note says why
    unit: str  # x, us, s, MB, bytes
    bound: float | None = None  # None: shown beside others, not judged
    bound_text: str = ""  # where the bound is not the figure's own
    native: float | None = None
    recorded: float | None = None
    side_unit: str = "s"  # of native and recorded
    spread: list = dataclasses.field(default_factory=list)
    note: str = ""
    failed: bool = False

    def verdict(self) -> str:
        if self.failed:
            return "FAILED"
        if self.figure is None:
            return "not measured"
        if self.bound is None:
            return ""
        return "met" if self.figure <= self.bound else "NOT MET"


def number(value: float | None, unit: str) -> str:
    if value is None:
        return ""
    digits = 2 if unit in ("x", "s") else 1
    return f"{value:,.{digits}f}{'' if unit == 'x' else ' '}{unit}"


def cells(row: Figure) -> list[str]:
    spread = f"{min(row.spread):,.2f} - {max(row.spread):,.2f}" if len(row.spread) > 1 else ""
    bound = row.bound_text or (f"<= {number(row.bound, row.unit)}" if row.bound is not None else "")
    name = f"{row.workload}: {row.what}" if row.what else row.workload
    sides = [number(side, row.side_unit) for side in (row.native, row.recorded)]
    return [name, *sides, number(row.figure, row.unit), spread, bound, row.verdict()]


def notes(rows: list[Figure]) -> list[str]:
    return [f"{', '.join(filter(None, (row.workload, row.what)))}: {row.note}" for row in rows if row.note]


def text_table(rows: list[Figure]) -> str:
    lines = [COLUMNS] + [cells(row) for row in rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(COLUMNS))]
    shown = ["  ".join(cell.ljust(width) if i == 0 else cell.rjust(width)
                       for i, (cell, width) in enumerate(zip(line, widths))).rstrip() for line in lines]
    return "\n".join(shown + [""] + notes(rows)) + "\n"


def where(machine: dict) -> str:
    host = f"{machine['cpu']}, {machine['cores']} cores, load {machine['load'][0]:.1f} at the beginning"
    if not machine["gpu"]:
        return f"{host}, no GPU"
    return f"{machine['gpu']}, driver {machine['driver']}, CUDA {machine['cuda']} ({host})"


def markdown_table(result: dict) -> str:
    rows = [Figure(**row) for row in result["figures"]]
    machine = result["machine"]
    commit = f" ({machine['commit']})" if machine["commit"] else ""
    lines = [f"Measured on {where(machine)} with {machine['coalescope']}{commit}, {result['date']}, by", "",
             "```", result["command"], "```", "",
             f"Figures are medians of {result['repeat']}.", "",
             "| " + " | ".join(COLUMNS) + " |", "|---|" + "---:|" * (len(COLUMNS) - 1)]
    lines += ["| " + " | ".join(cells(row)) + " |" for row in rows]
    lines += [""] + [f"- {note}" for note in notes(rows)]
    return "\n".join(lines).rstrip() + "\n"
