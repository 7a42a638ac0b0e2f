"""The programs of this folder: how each is run, how long it takes on an H100, and the faults that are planted in it. The
benchmark judges reports by this table."""
from __future__ import annotations

import dataclasses
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


@dataclasses.dataclass(frozen=True)
class Fault:
    rule: str  # a regular expression, as where the host's waits tell more of the same copies
    subject: str  # a regular expression: the kernel's name, or the transfers'
    place: str = ""  # a part of the path of its file, or of its call's; "" where there is none


@dataclasses.dataclass(frozen=True)
class Label:
    """What reading the code says of a finding that is neither about a planted fault nor about what is clean."""
    rule: str
    subject: str  # a regular expression
    verdict: str  # "right", "wrong" or "not actionable"
    why: str


@dataclasses.dataclass(frozen=True)
class Program:
    name: str
    command: tuple  # a .py file of this folder or a compiled program, and its arguments
    faults: tuple = ()
    clean: tuple = ()  # kernels of which nothing is to be named
    labels: tuple = ()
    needs: tuple = ()  # Python modules
    gpus: int = 1
    length: str = "long"  # medium: 2 to 8 s; short: under 2 s

    def arguments(self, programs: str) -> list[str]:
        first, *rest = self.command
        if not first.endswith(".py"):
            return [os.path.join(programs, "real", first), *rest]
        script = [os.path.join(HERE, first), *rest]
        if self.gpus == 1:
            return [sys.executable, *script]
        return [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={self.gpus}", *script]


TRANSPOSED_ADD = Fault("G01", "elementwise")
PAGEABLE_UPLOAD = Fault("T01", "pageable host to device")
SAME_UPLOAD = Fault("T07", "pageable host to device")
GPT_LABELS = (
    Label("T03", "pauses beside copies", "right", "each step waits for its uploads and for the loss"),
    Label("T09", "pauses before launches", "right", "some 430 short kernels a step, launched one by one"),
    Label("F01", "element-wise", "right", "scaling and adding the noise are separate operations, and so is adding skew"),
    Label("T02", "device to pinned host, 4 B", "right", "the loss is read in each step"),
)

PROGRAMS = (
    Program("gpt", ("gpt.py", "1000"), (TRANSPOSED_ADD, PAGEABLE_UPLOAD, SAME_UPLOAD), labels=GPT_LABELS, needs=("torch",)),
    Program("gpt_ddp", ("gpt.py", "700", "--ranks"), (TRANSPOSED_ADD, PAGEABLE_UPLOAD, SAME_UPLOAD), labels=GPT_LABELS, needs=("torch",),
            gpus=2),
    Program("convnet", ("convnet.py", "6"), (Fault("T01|T03", "pageable|pauses", "convnet.py"), Fault("G04", "elementwise")), needs=("torch",), labels=(
        Label("K01", "nchwToNhwc", "right", "neither the network nor its input is in channels last"),
        Label("G01", "copy", "right", "all pixels are inverted, of which every fourth of every fourth row is used"))),
    Program("decode", ("decode.py", "9000"), (Fault("G01", "copy"),), needs=("torch",)),
    Program("compiled", ("compiled.py", "default", "600"), (TRANSPOSED_ADD,), needs=("torch", "triton")),
    Program("compiled_graphs", ("compiled.py", "reduce-overhead", "600"), (TRANSPOSED_ADD,), needs=("torch", "triton")),
    Program("jax", ("jax_steps.py", "600"), (Fault("G01", "fusion|slice"),), needs=("jax",), labels=(
        Label("T08", "stream_executor", "not actionable", "XLA allocates these itself"),)),
    Program("cupy", ("cupy_orders.py", "1500"), (Fault("G01", "add"),), needs=("cupy",), labels=(
        Label("F01", "element-wise", "right", "additions, a product and a root, each a kernel"),), length="medium"),
    Program("triton", ("triton_rows.py", "1000"), (Fault("G01", "column_scale", "triton_rows.py"),), ("row_softmax",),
            needs=("torch", "triton"), length="medium"),
    Program("pipeline", ("pipeline", "2500"), (Fault("T01", "pageable"),)),
    Program("lu", ("lu", "200"), (Fault("G01", "update", "lu.cu"),)),
    Program("wavefront", ("wavefront", "200"), (Fault("G01", "align_rows", "wavefront.cu"),), ("align_skewed",)),
    Program("multigrid", ("multigrid", "10000"), (Fault("G01", "interpolate", "multigrid.cu"),), ("smooth",), labels=(
        Label("G01", "restrict_residual", "right", "each load skips every other number, and a second load reads those: one load of 8 bytes would read both"),)),
    Program("particles", ("particles", "12000"), (Fault("G01", "move", "particles.cu"),), labels=(
        Label("G01", "gather", "right", "each thread copies a record of 32 bytes by two accesses of 16, so each access touches the sectors of all records"),
        Label("G01", "add_up", "right", "each thread reads 32 numbers in a row, so lanes are 128 bytes apart"),
        Label("T08", "steady", "right", "thrust allocates what each sort needs"))),
    Program("sparse", ("sparse", "45000"), (Fault("G01", "row_a_thread", "sparse.cu"),)),
    Program("heavy", ("heavy", "20"), (Fault("G01", "strided_sum", "heavy.cu"),), ("scale",), length="short"),
    Program("tiny", ("tiny", "20000"), clean=("add_one",), length="short"),
    Program("histogram", ("histogram", "12"), (Fault("A01", "count_bytes", "histogram.cu"),), length="short"),
    Program("transpose", ("transpose", "40"), (Fault("G01", r"\btranspose\b", "transpose.cu"),), ("transpose_tiled",), length="short"),
)
