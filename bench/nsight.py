"""The same counters by Nsight Compute, where it is installed."""
from __future__ import annotations

import glob
import os
import shutil
import subprocess

from figures import Figure
from measure import RunFailed, run_once

PLACES = ("/usr/local/cuda*/bin/ncu", "/opt/nvidia/nsight-compute/*/ncu")


def find() -> str | None:
    found = shutil.which("ncu")
    return found or next((path for place in PLACES for path in sorted(glob.glob(place), reverse=True)), None)


def version(ncu: str) -> str:
    said = subprocess.run([ncu, "--version"], stdout=subprocess.PIPE, text=True, check=False).stdout
    return said.strip().splitlines()[-1] if said.strip() else "unknown"


def skipped(why: str):
    return [Figure("Nsight Compute", "the same counters", None, "x", note=why)], {}


def compare(command: list[str], counters: list, own_us: float, folder: str):
    """Its fastest settings: clocks and caches are left alone, the report goes into a file."""
    ncu = find()
    if ncu is None:
        return skipped("skipped: ncu is neither on the PATH nor in the CUDA Toolkit")
    wanted = sorted(set(counters[0]) | set(counters[1]))
    if not wanted:
        return skipped("skipped: the captures name no counters")
    profiled = [ncu, "--clock-control", "none", "--cache-control", "none", "--metrics", ",".join(wanted), "-f", "-o",
                os.path.join(folder, "nsight"), *command]
    try:
        run = run_once(profiled)
    except RunFailed as failed:
        return skipped(f"failed: {failed}")
    us = run.loop_s() / run.said["launches"] * 1e6
    said = f"{us:,.0f} us per launch; {len(wanted)} counters, {run.said['launches']} launches, {version(ncu)}"
    row = Figure("Nsight Compute", "the same counters, per launch, as a multiple", us / own_us, "x", recorded=own_us,
                 side_unit="us", note=said)
    return [row], {"command": profiled, "wall_s": run.wall_s, "said": run.said, "us": us}
