"""What is right to say of a program of the jury. The analyser knows none of it."""
from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Case:
    name: str  # NAME.cu or NAME.py in the folder of its half
    kind: str  # of computation, in a few words: "stencil halo"
    language: str  # "cuda" for NAME.cu; the module that NAME.py needs: "torch", "cupy", "triton", "jax"
    rules: tuple  # ids, each of which names the fault rightly; empty where nothing is wrong
    subject: str  # a regular expression for the kernel's name; "" where no kernel is at fault
    wants: str  # the true cause and the repair, as an expert would say them
    source: str  # of public code: "owner/repo path@commit: what changed"; "" in the part `open`
    underfilled: bool = False  # too few blocks to fill the GPU
    also: tuple = ()  # ids of findings that are right, too, on either side; they are neither the fault nor false alarms


def fault(name: str, kind: str, rules: tuple, subject: str, wants: str, source: str, language: str = "cuda",
          underfilled: bool = False, also: tuple = ()) -> Case:
    return Case(name, kind, language, rules, subject, wants, source, underfilled, also)


def clean(name: str, kind: str, source: str, language: str = "cuda", also: tuple = ()) -> Case:
    return Case(name, kind, language, (), "", "Nothing.", source, also=also)
