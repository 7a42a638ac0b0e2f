"""Records modules_program.py with `--modules` against the stand-in, and compares the modules of each launch, and what
the program sees and prints, with what is right.

modules_test.py COALESCOPE STANDIN HOOK FOLDER PYTHON...: HOOK is the folder of the hook's sitecustomize.py.
"""

import collections
import json
import os
import shutil
import sqlite3
import subprocess
import sys

coalescope, standin, hook, folder, *python = sys.argv[1:]
here = os.path.dirname(os.path.abspath(__file__))
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(f"{folder}/own")
open(f"{folder}/script", "w").close()
expected_file = f"{folder}/expected.json"
command = [*python, f"{here}/modules_program.py", f"{standin}/libcuda.so.1", expected_file, *python]
# Python 3.12 and later warn of a fork beside other threads, such as the recorder's.
environment = {**os.environ, "PYTHONWARNINGS": "ignore", "PYTHONDONTWRITEBYTECODE": "1", "STANDIN_SCRIPT": f"{folder}/script", "COALESCOPE_CUPTI_PATH": standin}


def run(arguments, **variables):
    done = subprocess.run(arguments, env={**environment, **variables}, capture_output=True, text=True, timeout=120)
    notes = [line for line in done.stderr.splitlines(True) if not line.startswith("coalescope: note: wrote")]
    return done.returncode, done.stdout, "".join(notes)


def recorded(to, *settings):
    return [coalescope, "record", "--force", "-o", f"{folder}/{to}.coal", "--only", "trace", *settings, "--"]


def same(what, arguments=command, status=7, **variables):
    variables["PYTHONPATH"] = ":".join(filter(None, (variables.get("PYTHONPATH"), f"{here}/fake_torch")))
    alone = run(arguments, **variables)
    assert alone[0] == status, (what, alone)
    for flags in ([], ["--modules"]):
        under = run([*recorded("capture", *flags), *arguments], **variables)
        for ours, its in zip(under, alone):
            assert ours == its, f"{what}, {flags}:\n{ours}\nalone:\n{its}"


# The program's own sitecustomize is that of its folder, or none, and its errors are its own.
same("without a sitecustomize of its own")
with open(f"{folder}/own/sitecustomize.py", "w") as file:
    file.write("import sys\nprint('own', __file__, [p for p in sys.path if 'coalescope_modules' in p])\n")
same("with its own sitecustomize", PYTHONPATH=f"{folder}/own")
with open(f"{folder}/own/sitecustomize.py", "w") as file:
    file.write("import nothing_of_this_name\n")
same("with one that fails", PYTHONPATH=f"{folder}/own")
with open(f"{folder}/own/sitecustomize.py", "w") as file:
    file.write("1 / 0\n")
same("with one that has an error", PYTHONPATH=f"{folder}/own")
same("without torch", [*python, "-c", "import sys; print(sys.path); sys.exit(7)"])
same("isolated", [*python, "-I", "-c", "import sys; print(sys.path); sys.exit(7)"])
# Where the library is not loaded the hook does nothing.
alone = run(command, PYTHONPATH=f"{here}/fake_torch")
for library in ("", "/does/not/exist.so"):
    hooked = run(command, PYTHONPATH=f"{hook}:{here}/fake_torch", COALESCOPE_LIBRARY=library, COALESCOPE_MODULES="on", COALESCOPE_ALLOCATIONS="pytorch")
    assert hooked == alone, (hooked, alone)

# Stacks take 20 ms and 1 % of the time, and rest when that is spent. The program waits first, so that also a slow machine
# looks at each launch.
assert run([*recorded("modules", "--modules"), *command], PYTHONPATH=f"{here}/fake_torch", WAIT_S="4")[0] == 7
database = sqlite3.connect(f"{folder}/modules.coal")
sites = {row[0]: row[1:] for row in database.execute(
    "SELECT s.id, caller_id, file, line, symbol, k.name FROM call_site s JOIN frame_kind k ON k.id = s.kind")}
MOST = 64


def place_of(site):
    """The innermost module that it belongs to, and its stack of Python."""
    modules, lines = [], []
    while site is not None:
        caller, file, line, symbol, kind = sites[site]
        if kind == "torch_module":
            # It stands behind the frame that calls it, where that one is known.
            assert caller is None or sites[caller][3].endswith("_call_impl") or sites[caller][4] == "torch_module", sites[caller]
            modules.append(symbol)
        else:
            lines.append(f"{file}:{line} {symbol}")
        site = caller
    return modules[0] if modules else "", "\n".join(lines)


wanted = collections.Counter((kernel, module, "\n".join(stack[:MOST])) for kernel, module, stack in json.load(open(expected_file)))
found = collections.Counter()
for kernel, site, launches in database.execute(
        "SELECT kernel.name, call_site_id, launches FROM launch_site JOIN kernel_group ON kernel_group.id = group_id"
        " JOIN kernel ON kernel.id = kernel_id"):
    found[(kernel, *place_of(site))] += launches
wrong = [(key, wanted[key], found[key]) for key in wanted.keys() | found.keys() if wanted[key] != found[key]]
for (kernel, module, stack), want, have in sorted(wrong)[:4]:
    print(f"{kernel} in '{module}': {have} found, {want} right, at\n{stack}\n")
print(*database.execute("SELECT text FROM diagnostic WHERE origin IN ('stacks', 'modules')"))
report = run([coalescope, "report", f"{folder}/modules.coal", "--by", "module"])[1]
# Launches take 5 us each.
times = {module: 5 * sum(count for (_, inner, _), count in wanted.items() if (inner + ".").startswith(module + "."))
         for module in ("Net", "Net.first", "Leaf", "InThread")}
for module, us in times.items():
    shown = "1.00 ms" if us > 1000 else f"{us} us"
    assert any(line.split("  ")[0] == module and f" {shown} " in line for line in report.splitlines()), (module, us, report)
print(f"{sum(found.values())} launches, {len({module for _, module, _ in found})} modules")
sys.exit(1 if wrong else 0)
