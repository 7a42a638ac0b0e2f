#!/usr/bin/env python3
"""Refuses phrases that make a reader stop: in string literals of the sources and in documents.

usage: wording.py ROOT      prints each hit; exit status 1 if there is any
       wording.py --self    shows that hits are found, and that good sentences pass
"""
import pathlib
import re
import sys

# The phrase, and what to write.
PHRASES = [
    (r"\bwould do\b", "say what is ideal"),
    (r"\basked for\b", "requested"),
    (r"\b(is|are|was|were) told\b", "say who reports or knows it"),
    (r"\bnot told\b", "not reported"),
    (r"\bworst offenders?\b", "findings"),
    (r"\bwhat can be asked\b", "lists commands and options"),
    (r"\bfor want of\b", "say what is missing"),
    (r"(?:\d\S*|\b(?:[nµmu]s|bytes?|sectors?|requests?|wavefronts?|times?|once|figures|counts|memory))\)?,? an? "
     r"(?:launch|request|warp)\b", "per launch, per request, per warp"),
    (r", an? (?:launch|request|warp)(?=$|[.,;:)|])", "per launch, per request, per warp"),
    (r"\btoo seldom\b", "too few launches"),
    (r"\bnobody (?:asked|asks)\b", "not requested"),
    (r"\bnothing counts\b", "cannot be counted"),
    (r"\bwould be fewer\b", "say what full warps would save"),
    (r"\bbeside the kernel\b", "asynchronous"),
    (r"\b(?:does|do|did|has to do|have to do|makes? do) without\b", "say what happens"),
    (r"\bwhat is at no\b", "without a source line"),
    (r"\blanes of each last warp\b", "31 of 32 lanes of the last warp are idle"),
    (r"\bof those moved\b", "of the bytes that moved"),
    (r"\bput down to\b", "attributed to"),
    (r"\bis beside the point\b", "say why it does not matter"),
    (r"^#+ Words$", "Glossary"),
]
CODE = {".cpp", ".h", ".js", ".mjs", ".py", ".html"}
CODE_FOLDERS = ["core", "injection", "kernels", "reports", "tool"]
DOCUMENTS = ["*.md", "docs/**/*.md", "docs/*.json", "bench/*.md", "kernels/**/*.md", "tests/standin/*.md", "tests/fixtures/**/*.md"]
# A string, or a comment, whichever begins first.
TOKEN = re.compile(r"""//[^\n]*|/\*.*?\*/|R"(\w*)\((?P<raw>.*?)\)\1"|"(?P<string>(?:[^"\\\n]|\\.)*)"|'(?:[^'\\\n]|\\.)*'""", re.S)
PYTHON_TOKEN = re.compile(r'''\#[^\n]*|"""(?P<raw>.*?)"""|"(?P<string>(?:[^"\\\n]|\\.)*)"''', re.S)
HTML_TOKEN = re.compile(r"<!--.*?-->|(?P<raw>[^<]+)|<", re.S)


def strings_of(text, suffix):
    """(line, string): literals that follow each other are one sentence."""
    token = {".py": PYTHON_TOKEN, ".html": HTML_TOKEN}.get(suffix, TOKEN)
    pending, begin, end = "", 0, 0
    for match in token.finditer(text):
        groups = match.groupdict()
        string = groups.get("string") if groups.get("string") is not None else groups.get("raw")
        if string is None:
            continue
        if pending and text[end:match.start()].strip():
            yield text.count("\n", 0, begin) + 1, pending
            pending = ""
        if not pending:
            begin = match.start()
        pending += string
        end = match.end()
    if pending:
        yield text.count("\n", 0, begin) + 1, pending


def paragraphs_of(text):
    """(line, paragraph) of a document, without blocks of code."""
    text = re.sub(r"^```.*?^```", lambda block: "\n" * block.group().count("\n"), text, flags=re.S | re.M)
    at = 0
    for part in re.split(r"(\n\s*\n)", text):
        if part.strip():
            yield text.count("\n", 0, at) + 1, " ".join(part.split("\n")) if not part.startswith("#") else part
        at += len(part)


def hits(line, text):
    for phrase, better in PHRASES:
        for match in re.finditer(phrase, text):
            yield line, text[max(0, match.start() - 40):match.end() + 40].replace("\n", " "), better


def files_of(root):
    for folder in CODE_FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in CODE and "_test." not in path.name and "node_modules" not in path.parts:
                yield path, strings_of
    for pattern in DOCUMENTS:
        for path in sorted(root.glob(pattern)):
            if path.name not in ("THIRD_PARTY.md",):
                yield path, lambda text, _: paragraphs_of(text)


def check(root):
    found = 0
    for path, parts in files_of(root):
        for line, text in parts(path.read_text(encoding="utf-8"), path.suffix):
            for number, where, better in hits(line, text):
                found += 1
                print(f"{path.relative_to(root)}:{number}: '{where}': {better}")
    return 1 if found else 0


BAD = ['f("12.0 sectors a request where 4.0 would do");', 'f("bytes that were " "asked for");', 'f("3 us a launch");',
       "Bytes, a launch.", "12 kernels whose bytes nothing counts", "The size is NULL: not told.", "# Words"]
GOOD = ['f("12.0 sectors per request (ideal: 4.0)");', "// a comment about what was asked for\n", "How long a launch takes.",
        "```\nasked for\n```\n"]


def check_self():
    def found(text):
        parts = paragraphs_of(text) if not text.startswith(("f(", "//")) else strings_of(text, ".cpp")
        return [hit for line, part in parts for hit in hits(line, part)]
    missed = [text for text in BAD if not found(text)] + [text for text in GOOD if found(text)]
    print("\n".join(f"judged wrongly: {text}" for text in missed))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(check_self() if sys.argv[1] == "--self" else check(pathlib.Path(sys.argv[1])))
