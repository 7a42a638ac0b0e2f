#!/usr/bin/env python3
"""Runs the jobs of docs/ci.md as a runner would: a capture like the baseline passes, a planted regression fails.

usage: ci_examples.py COALESCOPE ROOT

What needs a GPU or a build is played: `coalescope record` leaves a capture of an H100, `cmake` does nothing. Steps of
others (checkout, artifacts) leave the files that the job names.
"""
import os
import pathlib
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^## ([^\n]*)\n(?:(?!^## ).)*?^```yaml\n(.*?)^```$", re.S | re.M)
FIXTURE = "tests/fixtures/recorded/showcase.coal"
PLANTED = """UPDATE reading SET value = value * 105 / 100 WHERE metric_id IN (SELECT id FROM metric WHERE key IN
             ('global_load_bytes', 'global_load_sectors', 'global_load_requests', 'l1_load_sectors'))"""
PLAYED = """#!/bin/sh
[ "$1" = record ] || exec {coalescope} "$@"
while [ $# -gt 0 ]; do [ "$1" = -o ] && exec cp {recorded} "$2"; shift; done
exit 2
"""


def indent(line):
    return len(line) - len(line.lstrip())


def items(lines, key):
    """The items of the list below `key:`, each as its lines without the dash."""
    start = next((i for i, line in enumerate(lines) if line.strip() == key + ":"), None)
    found, depth = [], None
    for line in lines[start + 1:] if start is not None else []:
        if not line.strip() or line.strip().startswith("#"):
            continue
        depth = indent(line) if depth is None else depth
        if indent(line) < depth or (indent(line) == depth and not line.strip().startswith("- ")):
            break
        if indent(line) == depth:
            found.append([])
        found[-1].append(line[depth + 2:])
    return found


def command_of(step):
    """What `run:` of a step of GitHub says; None: it is a step of others."""
    for at, line in enumerate(step):
        if line.startswith("run: |"):
            return "\n".join(each.strip() for each in step[at + 1:] if indent(each) > 0)
        if line.startswith("run: "):
            return line[len("run: "):]
    return None


def commands_of(block):
    """(command, whether it also runs after a failure) of a job."""
    lines = block.splitlines()
    for step in items(lines, "steps"):
        if command := command_of(step):
            yield command, "if: always()" in step
    for line in items(lines, "script"):
        yield line[0], False


def kept_of(block):
    """The files that the job hands on."""
    return set(re.findall(r"\b(\S+\.(?:xml|sarif|html))\b", block))


def run_job(block, folder, program):
    environment = dict(os.environ, PATH=f"{program.parent}:{os.environ['PATH']}",
                       GITHUB_STEP_SUMMARY=str(folder / "step_summary.md"))
    failed, said = False, ""
    for command, always in commands_of(block):
        if failed and not always:
            continue
        done = subprocess.run(["bash", "-eo", "pipefail", "-c", command], cwd=folder, env=environment, check=False,
                              capture_output=True, text=True)
        said += f"$ {command}\n{done.stdout}{done.stderr}"
        failed = failed or done.returncode != 0
    return failed, said


def play(block, coalescope, baseline, recorded):
    """Whether the job failed, and what was wrong with that."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name, "checkout")
        programs = pathlib.Path(name, "bin")
        (folder / "ci").mkdir(parents=True)
        (folder / ".git").mkdir()
        programs.mkdir()
        shutil.copy(baseline, folder / "ci/baseline.coal")
        if "coalescope record" not in block:
            shutil.copy(recorded, folder / "capture.coal")
        for program, text in {"coalescope": PLAYED.format(coalescope=shlex.quote(coalescope), recorded=recorded),
                              "cmake": "#!/bin/sh\n"}.items():
            (programs / program).write_text(text, encoding="utf-8")
            (programs / program).chmod(0o755)
        failed, said = run_job(block, folder, programs / "coalescope")
        faults = [f"{file} was not written" for file in kept_of(block) if not (folder / file).is_file()]
        summary = folder / "step_summary.md"
        if "GITHUB_STEP_SUMMARY" in block and not (summary.is_file() and summary.stat().st_size):
            faults.append("the summary is empty")
        answers = [folder / file for file in kept_of(block)] + [summary]
        if failed and not any("load sectors" in file.read_text("utf-8") for file in answers if file.is_file()):
            faults.append("nothing that the job hands on names the count that is worse")
        return failed, faults, said


def main(coalescope, root):
    fixture = root / FIXTURE
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        planted = pathlib.Path(folder, "planted.coal")
        shutil.copy(fixture, planted)
        planted.chmod(0o644)
        with sqlite3.connect(planted) as database:
            database.execute(PLANTED)
        jobs = BLOCK.findall((root / "docs/ci.md").read_text("utf-8"))
        for title, block in jobs:
            for capture, fails in ((fixture, False), (planted, True)):
                failed, faults, said = play(block, coalescope, fixture, capture)
                if failed != fails:
                    faults.append("a planted regression passes" if fails else "the baseline itself fails")
                wrong += [f"{title}: {fault}\n{said}" for fault in faults]
    print("\n".join(wrong) or f"{len(jobs)} jobs")
    return 1 if wrong or len(jobs) < 4 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], pathlib.Path(sys.argv[2]).resolve()))
