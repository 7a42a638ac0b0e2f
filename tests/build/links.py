#!/usr/bin/env python3
"""Follows the links of the documents: files and headings exist, and each page of docs/ is in its table of contents.

usage: links.py ROOT      prints each fault; exit status 1 if there is any
       links.py --self    shows that faults are found
"""
import pathlib
import re
import sys
import tempfile

DOCUMENTS = ["*.md", "docs/**/*.md", "bench/**/*.md", "kernels/**/*.md", "tests/**/*.md"]
CODE = re.compile(r"^```.*?^```|`[^`]*`", re.S | re.M)
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.*)$", re.M)


def anchors_of(path):
    """As GitHub makes them of headings."""
    headings = HEADING.findall(re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.S | re.M))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links_of(path):
    return LINK.findall(CODE.sub("", path.read_text(encoding="utf-8")))


def fault_of(link, path, root):
    """What is wrong with this link of that document; None: nothing."""
    if re.match(r"[a-z]+:", link):
        return None
    name, _, anchor = link.partition("#")
    target = (path.parent / name).resolve() if name else path.resolve()
    if not target.is_relative_to(root.resolve()) or not target.exists():
        return f"there is no {name}"
    if anchor and anchor not in anchors_of(target):
        return f"{target.name} has no heading {anchor}"
    return None


def faults_of(root):
    for pattern in DOCUMENTS:
        for path in sorted(root.glob(pattern)):
            for link in links_of(path):
                if fault := fault_of(link, path, root):
                    yield f"{path.relative_to(root)}: {fault}"
    contents = root / "docs" / "README.md"
    listed = {(contents.parent / link.partition("#")[0]).resolve() for link in links_of(contents)}
    for page in sorted((root / "docs").glob("**/*.md")):
        if page != contents and page.parent.name != "decisions" and page.resolve() not in listed:
            yield f"docs/README.md does not list {page.relative_to(root)}"


def check(root):
    faults = list(faults_of(root))
    print("\n".join(faults))
    return 1 if faults else 0


def check_self():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "docs").mkdir()
        (root / "docs" / "README.md").write_text("# Contents\n[one](one.md)\n", encoding="utf-8")
        (root / "docs" / "one.md").write_text("## A `heading`, two\n[up](../README.md) [no](no.md)\n", encoding="utf-8")
        (root / "docs" / "two.md").write_text("", encoding="utf-8")
        (root / "README.md").write_text("[h](docs/one.md#a-heading-two) [g](docs/one.md#gone) [w](https://x.y/z)\n"
                                        "`[c](code.md)`\n", encoding="utf-8")
        found = sorted(faults_of(root))
    expected = ["README.md: one.md has no heading gone", "docs/README.md does not list docs/two.md",
                "docs/one.md: there is no no.md"]
    print("" if found == expected else f"found {found}")
    return 0 if found == expected else 1


if __name__ == "__main__":
    sys.exit(check_self() if sys.argv[1] == "--self" else check(pathlib.Path(sys.argv[1])))
