"""pytorch_stacks.py OUT PROGRAM [ARGUMENT...]: runs a PyTorch program, and writes to OUT how often each kernel and copy was launched from
each line of the program's folder, by PyTorch's own stacks and profiler.

{"kernel": {NAME: {LINE: COUNT}}, "gpu_memcpy": ...}; the line is FILE:NUMBER; "backward" stands for launches on other threads than the first,
where autograd works, and "" for launches that no operator of PyTorch made."""
import bisect
import collections
import functools
import json
import os
import runpy
import sys
import tempfile

import torch
from torch.profiler import ProfilerActivity, profile, record_function
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._traceback import CapturedTraceback

MARK = "launched from "
KINDS = ("kernel", "gpu_memcpy")


def line_of(folder: str) -> str:
    """The innermost frame in a file of this folder."""
    for frame in reversed(CapturedTraceback.extract().summary()):
        if os.path.dirname(os.path.abspath(frame.filename)) == folder:
            return f"{os.path.basename(frame.filename)}:{frame.lineno}"
    return ""


class Marked(TorchDispatchMode):
    """Each operator of PyTorch is a range of the profiler that names the line behind it."""

    def __init__(self, folder: str):
        super().__init__()
        self.folder = folder

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        with record_function(MARK + line_of(self.folder)):
            return func(*args, **(kwargs or {}))


def mark_replays(folder: str):
    """A replay is no operator."""
    replay = torch.cuda.CUDAGraph.replay

    @functools.wraps(replay)
    def marked(graph):
        with record_function(MARK + line_of(folder)):
            return replay(graph)

    torch.cuda.CUDAGraph.replay = marked


def counted(trace: dict, first_thread: int) -> dict:
    events = [each for each in trace["traceEvents"] if each.get("ph") == "X"]
    marks = collections.defaultdict(list)
    for each in events:
        if each.get("cat") == "user_annotation" and each["name"].startswith(MARK):
            marks[each["tid"]].append((each["ts"], each["ts"] + each["dur"], each["name"][len(MARK):]))
    for of in marks.values():
        of.sort()
    calls = {each["args"]["correlation"]: (each["tid"], each["ts"]) for each in events
             if each.get("cat") in ("cuda_runtime", "cuda_driver") and "correlation" in each.get("args", {})}

    def line(correlation: int) -> str:
        thread, at = calls.get(correlation, (first_thread, 0))
        if thread != first_thread:
            return "backward"
        last = bisect.bisect_right(marks[thread], (at, float("inf"), ""))
        # Ranges may lie within each other: the innermost that is still open.
        return next((name for begin, end, name in reversed(marks[thread][max(0, last - 8):last]) if at <= end), "")

    found = {kind: collections.defaultdict(collections.Counter) for kind in KINDS}
    for each in events:
        if each.get("cat") in KINDS:
            found[each["cat"]][each["name"]][line(each["args"]["correlation"])] += 1
    return found


def main():
    out, program = sys.argv[1], os.path.abspath(sys.argv[2])
    folder = os.path.dirname(program)
    sys.argv = sys.argv[2:]
    sys.path[0] = folder
    mark_replays(folder)
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiler, Marked(folder):
        runpy.run_path(program, run_name="__main__")
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "trace.json")
        profiler.export_chrome_trace(path)
        with open(path) as file:
            found = counted(json.load(file), os.getpid())
    with open(out, "w") as file:
        json.dump(found, file, indent=1)


if __name__ == "__main__":
    main()
