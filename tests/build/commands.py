#!/usr/bin/env python3
"""Holds the commands of the documents, and of what the programs say, against the command line.

usage: commands.py options COALESCOPE ROOT   each subcommand, option and choice that they name exists
       commands.py run COALESCOPE ROOT       blocks marked `sh` run as they stand, on captures of the fixtures
       commands.py --self COALESCOPE         shows that faults are found
docs/README.md says how blocks of commands are marked.
"""
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

DOCUMENTS = ["*.md", "docs/*.md", "docs/rules/*.md", "bench/*.md"]
SOURCES = ["core", "injection", "reports", "tool"]
FENCE = re.compile(r"^```([^\n`]*)\n(.*?)^```$", re.S | re.M)
CODE = re.compile(r"`([^`]+)`")
CALL = re.compile(r"(?:^|[\s;&|(])(?:\S*/)?coalescope(?=\s)([^\n]*)")
END = re.compile(r"[;&|<>()]+")
LITERAL = r'"((?:[^"\\\n]|\\.)*)"'
LITERALS = re.compile(rf"{LITERAL}(?:\s+{LITERAL})*")
SAID = re.compile(r"'coalescope ([^']*)'|\bcoalescope ([a-z]+ FILE\b[^;.']*)|\b(record )(?:\w+ )?with (--[a-z-]+)")
# Programs that the documents record by `coalescope PROGRAM`; any other lower-case word is taken for a subcommand.
PROGRAMS = re.compile(r"\.{0,2}/|[A-Z]|python3?$|\.\.\.$")


def blocks_of(text):
    """(mark, content) of each block, and ("inline", content) of code in sentences."""
    for match in FENCE.finditer(text):
        yield match[1].strip(), match[2].replace("\\\n", " ")
    for match in CODE.finditer(FENCE.sub("", text)):
        yield "inline", match[1].replace("\n", " ")


def calls_of(content):
    """The words behind each `coalescope`, up to the end of that command."""
    for match in CALL.finditer(content):
        lexer = shlex.shlex(re.sub(r"[][]", " ", match[1]), posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        words = []
        for word in lexer:
            if END.fullmatch(word):
                break
            words.append(word)
        yield words


def said_calls_of(source):
    """The words of each command that a string of this source tells its reader to use."""
    for match in LITERALS.finditer(re.sub(r"(?<!:)//[^\n]*", "", source)):
        for said in SAID.finditer("".join(re.findall(LITERAL, match[0]))):
            yield re.sub(r"\{[^}]*\}", " X", "".join(part or "" for part in said.groups())).split()


class CommandLine:
    def __init__(self, coalescope):
        self.coalescope = coalescope
        self.subcommands = re.findall(r"^  ([a-z]+) ", self.help().split("Subcommands:")[1], re.M)
        self.options = {name: self.options_of(name) for name in self.subcommands}

    def help(self, *subcommand):
        return subprocess.run([self.coalescope, *subcommand, "--help"], check=True, capture_output=True, text=True).stdout

    def options_of(self, subcommand):
        """The choices of each option; None: any value; False: it takes none."""
        options = {}
        for names, kind, choices in re.findall(r"^  (-\S+)(?: (TEXT|U?INT|FLOAT)\S*?(?:\{(.*?)\})?)?(?=[ =\n])",
                                               self.help(subcommand), re.M):
            value = (choices.split(",") if choices else None) if kind else False
            options.update(dict.fromkeys(names.split(","), value))
        return options

    def fault(self, words):
        """What is wrong with this call; None: nothing."""
        if not words or words[0] in ("--help", "--version", "--") or PROGRAMS.match(words[0]):
            return None
        if words[0] not in self.subcommands:
            return f"there is no subcommand {words[0]}"
        options, rest = self.options[words[0]], iter(words[1:])
        for word in rest:
            if word == "--" or (words[0] == "record" and not word.startswith("-")):
                return None
            name, given, value = word.partition("=")
            if not name.startswith("-"):
                continue
            if name not in options:
                return f"{words[0]} has no option {name}"
            choices = options[name]
            value = value if given or choices is False else next(rest, "")
            if choices and value and not value.isupper() and value not in choices:
                return f"{words[0]} {name} has no choice {value}"
        return None


def faults_of(text, command_line):
    for mark, content in blocks_of(text):
        for words in calls_of(content):
            if mark == "":
                if words and words[0] in command_line.subcommands:
                    yield f"mark the block with sh, sh gpu or text: coalescope {' '.join(words)}"
                continue
            if mark == "sh" and (not words or words[0] in ("record", "calibrate") or PROGRAMS.match(words[0])):
                yield f"this needs a GPU, and its block is not marked so: coalescope {' '.join(words)}"
            if fault := command_line.fault(words):
                yield f"coalescope {' '.join(words)}: {fault}"


def faults_of_source(source, command_line):
    for words in said_calls_of(source):
        if fault := command_line.fault(words):
            yield f"coalescope {' '.join(words)}: {fault}"


def sources(root):
    return sorted(path for folder in SOURCES for pattern in ("*.h", "*.cpp") for path in (root / folder).rglob(pattern)
                  if not path.stem.endswith("_test"))


def documents(root):
    return sorted(path for pattern in DOCUMENTS for path in root.glob(pattern))


def check_options(coalescope, root):
    command_line, failed, calls = CommandLine(coalescope), False, 0
    for path in documents(root):
        text = path.read_text(encoding="utf-8")
        calls += sum(1 for _, content in blocks_of(text) for _ in calls_of(content))
        for fault in faults_of(text, command_line):
            failed = True
            print(f"{path.relative_to(root)}: {fault}")
    said = 0
    for path in sources(root):
        source = path.read_text(encoding="utf-8")
        said += sum(1 for _ in said_calls_of(source))
        for fault in faults_of_source(source, command_line):
            failed = True
            print(f"{path.relative_to(root)}: {fault}")
    print(f"{calls} calls in documents, {said} in what the programs say")
    return 1 if failed or calls < 100 or said < 40 else 0


# `doctor` and `check` answer by their status: 1 is no failure of the command.
STAND_IN = """#!/bin/sh
{} "$@"
status=$?
case "$1:$status" in doctor:1 | check:1) exit 0 ;; esac
exit $status
"""


def run_block(content, coalescope, fixture):
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder, "bin", "coalescope")
        program.parent.mkdir()
        program.write_text(STAND_IN.format(shlex.quote(coalescope)), encoding="utf-8")
        program.chmod(0o755)
        for name in set(re.findall(r"[\w./-]+\.coal\b", content)) - set(re.findall(r"-o (\S+)", content)):
            pathlib.Path(folder, name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(fixture, pathlib.Path(folder, name))
        return subprocess.run(["bash", "-ec", f"PATH={program.parent}:$PATH\n{content}"], cwd=folder, check=False,
                              capture_output=True, text=True)


def run_blocks(coalescope, root):
    failed, count = False, 0
    for path in documents(root):
        for mark, content in blocks_of(path.read_text(encoding="utf-8")):
            if mark != "sh" or not any(calls_of(content)):
                continue
            count += 1
            done = run_block(content, coalescope, root / "tests/fixtures/recorded/showcase.coal")
            if done.returncode:
                failed = True
                print(f"{path.relative_to(root)}: status {done.returncode} of\n{content}{done.stderr}")
    print(f"{count} blocks")
    return 1 if failed or count < 8 else 0


BAD = ["`coalescope recrod x`", "`coalescope report x.coal --colour never`", "`coalescope report x.coal --csv kernel`",
       "```\ncoalescope report x.coal\n```\n", "```sh\ncoalescope record -o x.coal -- ./app\n```\n",
       "```sh gpu\nmpirun \\\n  coalescope record --no-such-option -- ./app\n```\n"]
GOOD = ["`coalescope record -o x.coal -- ./app --its-own`", "`coalescope report x.coal --csv TABLE | sort --reverse`",
        "```sh\ncoalescope report --section findings x.coal  # --no-option\n```\n", "`coalescope ./app --its-own`",
        "```text\ncoalescope diff BEFORE AFTER\n```\n"]
BAD_SOURCES = ['say("run \'coalescope "\n    "recrod\'");', '"\'coalescope report {} --colour\' shows it"',
               '"coalescope report FILE --tables lists all"', '"record again with --phase {}"']
GOOD_SOURCES = ['"\'coalescope report {}\' shows it"  // \'coalescope recrod\'', '"coalescope ended"', '"record with --only {1}"',
                '"coalescope report FILE --csv kernels lists {} more."']


def check_self(coalescope):
    command_line = CommandLine(coalescope)
    missed = [text for text in BAD if not any(faults_of(text, command_line))]
    missed += [text for text in GOOD if any(faults_of(text, command_line))]
    missed += [text for text in BAD_SOURCES if not any(faults_of_source(text, command_line))]
    missed += [text for text in GOOD_SOURCES if any(faults_of_source(text, command_line))]
    print("\n".join(f"judged wrongly: {text}" for text in missed))
    return 1 if missed or run_block("coalescope report absent\n", coalescope, coalescope).returncode == 0 else 0


if __name__ == "__main__":
    if sys.argv[1] == "--self":
        sys.exit(check_self(sys.argv[2]))
    sys.exit({"options": check_options, "run": run_blocks}[sys.argv[1]](sys.argv[2], pathlib.Path(sys.argv[3])))
