"""What the benchmark reads from captures. Nothing here is needed for the times: where this Python's SQLite is too old
for a capture (before 3.37), the answers are None."""
from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile

LINE_TABLES = ("instruction_reading", "instruction", "module")


def query(path: str, sql: str) -> list | None:
    try:
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        try:
            return connection.execute(sql).fetchall()
        finally:
            connection.close()
    except sqlite3.Error:
        return None


def first(path: str, sql: str):
    rows = query(path, sql)
    return rows[0][0] if rows else None


def phases(path: str) -> list | None:
    """What measuring did and cost by the recorder's own account."""
    rows = query(path, "SELECT phase.name, coverage_reason.name, count(*), sum(launches), sum(cost_ns), max(cost_ns),"
                       " sum(launches_cost_ns), max(launches_cost_ns)"
                       " FROM phase_window JOIN phase ON phase.id = phase_window.phase"
                       " JOIN coverage_reason ON coverage_reason.id = phase_window.outcome GROUP BY 1, 2")
    names = ("phase", "outcome", "windows", "launches", "cost_ns", "dearest_ns", "launches_cost_ns", "dearest_launches_ns")
    return [dict(zip(names, row)) for row in rows] if rows is not None else None


def launches(path: str) -> int | None:
    return first(path, "SELECT count(*) FROM launch")


def sampled_launches(path: str) -> int | None:
    return first(path, "SELECT count(DISTINCT launch_id) FROM reading")


def counters(path: str) -> list:
    """The chip's names of what was counted."""
    return [name for (name,) in query(path, "SELECT DISTINCT cupti_name FROM metric ORDER BY 1") or []]


def row_counts(path: str) -> dict:
    tables = query(path, "SELECT name FROM sqlite_schema WHERE type = 'table'") or []
    return {table: first(path, f'SELECT count(*) FROM "{table}"') for (table,) in tables}


def bytes_without(path: str, tables: tuple) -> int | None:
    """What the file shrinks by when these tables are emptied."""
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "copy.coal")
        shutil.copyfile(path, copy)
        try:
            connection = sqlite3.connect(copy, isolation_level=None)
            connection.execute("VACUUM")
            whole = os.path.getsize(copy)
            for table in tables:
                connection.execute(f'DELETE FROM "{table}"')
            connection.execute("VACUUM")
            connection.close()
        except sqlite3.Error:
            return None
        return whole - os.path.getsize(copy)


def bytes_each(path: str, tables: tuple, count: int | None) -> float | None:
    if not count:
        return None
    size = bytes_without(path, tables)
    return size / count if size is not None else None


def bytes_a_launch(path: str) -> float | None:
    return bytes_each(path, ("launch",), launches(path))


def bytes_a_line(path: str) -> float | None:
    """By source line; by instruction where no line is known."""
    lines = first(path, "SELECT count(*) FROM (SELECT DISTINCT file, line FROM instruction WHERE line IS NOT NULL)")
    return bytes_each(path, LINE_TABLES, lines or first(path, "SELECT count(*) FROM instruction"))
