"""Records program.py against the stand-in with one Python, and compares each call site of the capture with what
the program wrote down itself.

recorded_test.py COALESCOPE STANDIN PROBE FOLDER PYTHON...: STANDIN is the folder of the stand-in's libraries.
recorded_test.py COALESCOPE STANDIN PROBE FOLDER --embedded PROGRAM: a program that runs embedded_script.py itself.
"""

import collections
import json
import os
import shutil
import sqlite3
import subprocess
import sys

coalescope, standin, probe, folder, *python = sys.argv[1:]
here = os.path.dirname(os.path.abspath(__file__))
capture, expected_file = f"{folder}/capture.coal", f"{folder}/expected.json"
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
script = f"{folder}/script"
open(script, "w").close()
environment = {**os.environ, "STANDIN_SCRIPT": script, "COALESCOPE_CUPTI_PATH": standin}
command = [*python, f"{here}/program.py", f"{standin}/libcuda.so.1", probe, expected_file]
if python[0] == "--embedded":
    command = [python[1], f"{here}/embedded_script.py", f"{standin}/libcuda.so.1", expected_file]
CANDIDATES = 0 if python[0] == "--embedded" else 6  # that program.py's autotuner times


def record(to, *settings):
    run = subprocess.run([coalescope, "record", "-o", to, "--only", "trace", *settings, "--", *command],
                         env=environment, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0 and run.stdout == "done\n", (run.returncode, run.stdout, run.stderr)
    return sqlite3.connect(to)


database = record(capture)
nobody = record(f"{folder}/none.coal", "--stacks", "none")
assert nobody.execute("SELECT count(*) FROM call_site").fetchone() == (0,), "stacks that nobody wanted"
# Who knows nobody's stack does not know an autotuner's.
(all_timed,), (timed,) = (each.execute("SELECT count(*) FROM launch").fetchone() for each in (nobody, database))
assert all_timed == timed + CANDIDATES, (all_timed, timed)

MOST, REPLAYS = 64, 10
wanted = collections.Counter()
for what, kernel, stack in json.load(open(expected_file)):
    # A node runs whenever its graph is launched.
    wanted[what, kernel, "\n".join(stack[:MOST])] += REPLAYS if what == "graph_node" else 1

sites = {row[0]: row[1:] for row in database.execute("SELECT id, caller_id, file, line, symbol FROM call_site")}


def stack_of(site):
    lines = []
    while site is not None:
        caller, file, line, function = sites[site]
        lines.append(f"{file}:{line} {function}")
        site = caller
    return "\n".join(lines)


found = collections.Counter()
roles = dict(database.execute("SELECT id, name FROM site_role"))
for kernel, site, role, launches, timed in database.execute(
        "SELECT kernel.name, call_site_id, role, launches, timed_launches FROM launch_site JOIN kernel_group ON"
        " kernel_group.id = group_id JOIN kernel ON kernel.id = kernel_id"):
    if not kernel.startswith("native_"):
        found[roles[role], kernel, stack_of(site)] += launches
    assert timed == (0 if kernel == "candidate" else launches), (kernel, launches, timed)
for what, table, count in (("transfer", "transfer_site", "transfers"), ("wait", "synchronization_site", "calls")):
    for site, times in database.execute(f"SELECT call_site_id, {count} FROM {table}"):
        found[what, "", stack_of(site)] += times
for (site,) in database.execute("SELECT call_site_id FROM allocation"):
    found["allocation", "", stack_of(site)] += 1
# What the program does for itself at its end is not written down.
ours = {key: times for key, times in found.items() if key[0] != "wait" or key in wanted}
wrong = [(key, wanted[key], ours.get(key, 0)) for key in wanted.keys() | ours.keys() if wanted[key] != ours.get(key, 0)]
for (what, kernel, stack), want, have in sorted(wrong)[:6]:
    print(f"{what} {kernel}: {have} found, {want} right, at\n{stack}\n")
for text in database.execute("SELECT text FROM diagnostic WHERE origin = 'stacks'"):
    print(*text)
assert sum(wanted.values()) > 200
launches = database.execute("SELECT count(*) FROM launch").fetchone()[0]
print(f"{len(sites)} sites, {launches} launches, {sum(ours.values())} calls with a site")
sys.exit(1 if wrong else 0)
