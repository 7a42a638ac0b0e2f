"""Records allocations_program.py against the stand-in, with `--allocations pytorch` and without, and compares who asked
for the memory behind each kernel's pointer with what the program wrote down.

allocations_test.py COALESCOPE STANDIN LIBC10 FOLDER PYTHON...
"""

import json
import os
import shutil
import sqlite3
import subprocess
import sys

coalescope, standin, libc10, folder, *python = sys.argv[1:]
here = os.path.dirname(os.path.abspath(__file__))
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
open(f"{folder}/script", "w").close()
environment = {**os.environ, "STANDIN_SCRIPT": f"{folder}/script", "COALESCOPE_CUPTI_PATH": standin, "PYTHONPATH": f"{here}/fake_torch",
               "PYTHONDONTWRITEBYTECODE": "1"}
command = [*python, f"{here}/allocations_program.py", f"{standin}/libcuda.so.1", libc10, f"{folder}/expected.json"]


def run(arguments):
    done = subprocess.run(arguments, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, (arguments, done)
    return done.stdout


def record(to, *settings):
    shown = run([coalescope, "record", "-o", to, "--only", "trace", *settings, "--", *command])
    assert shown == "done True\n", shown
    return sqlite3.connect(to)


def pointers(database):
    sites = {row[0]: row[1:] for row in database.execute("SELECT id, caller_id, file, line, symbol FROM call_site")}

    def stack_of(site):
        lines = []
        while site is not None:
            caller, file, line, function = sites[site]
            if "fake_torch/torch/cuda/__init__" not in file:  # PyTorch's allocator is no Python
                lines.append(f"{file}:{line} {function}")
            site = caller
        return lines

    rows = database.execute(
        "SELECT kernel.name, p.call_site_id, a.call_site_id, a.pytorch_pool, p.address - a.address FROM group_pointer p"
        " JOIN kernel_group g ON g.id = group_id JOIN kernel ON kernel.id = kernel_id LEFT JOIN allocation a ON a.id = allocation_id")
    return {name: (block and stack_of(block), whole and stack_of(whole), pool, offset) for name, block, whole, pool, offset in rows}


def codes(database):
    return [code for (code,) in database.execute("SELECT code FROM diagnostic WHERE origin = 'allocations'")]


def places(capture):
    """Who asked for the memory behind each kernel's pointer, as the report says it."""
    report = json.loads(run([coalescope, "report", f"{folder}/{capture}.coal", "--json", "--hide", "fake_torch"]))
    return {row["kernel_name"]: row["place"] for row in report["program"]["pointers"]}


with_blocks = record(f"{folder}/with.coal", "--allocations", "pytorch")
found, expected = pointers(with_blocks), json.load(open(f"{folder}/expected.json"))
for kernel, (who, pool) in expected.items():
    if pool is None:
        assert kernel not in found, found[kernel]
        continue
    block, whole, pooled, offset = found[kernel]
    assert pooled == int(pool) and 0 <= offset < 2 << 20, (kernel, found[kernel])
    assert (block if pool else whole) == who, (kernel, block, whole, who)
    assert (block is None) == (not pool), (kernel, block)
assert codes(with_blocks) == [], codes(with_blocks)

# Each tensor's own lines in the report; without the option the pool.
shown = places("with")
for kernel, (who, pool) in expected.items():
    if pool is not None:
        file, line = who[0].split(" ")[0].rsplit(":", 1)
        assert f"{os.path.basename(file)}:{line}" in shown[kernel], (kernel, shown[kernel], who)
without = record(f"{folder}/without.coal")
for kernel, (block, whole, pooled, _) in pointers(without).items():
    assert block is None and pooled == int(expected[kernel][1]), (kernel, block, pooled)
pool = "inside PyTorch's pool"
shown = places("without")
assert {kernel: place == pool for kernel, place in shown.items()} == {kernel: expected[kernel][1] for kernel in shown}, shown
assert codes(without) == []
# A Python that reads no PYTHONPATH has no hook; whoever asked for it is told.
command[len(python):len(python)] = ["-EB", "-c", f"import sys, runpy; sys.path.insert(0, '{here}/fake_torch'); sys.argv[:] = sys.argv[1:]; "
                                    "runpy.run_path(sys.argv[0], run_name='__main__')"]
assert codes(record(f"{folder}/unheard.coal", "--allocations", "pytorch")) == ["pytorch_silent"]
print(f"{len(found)} pointers")
