"""Calls modules that launch, and writes down which module each launch belongs to.

modules_program.py LIBCUDA EXPECTED PYTHON...: EXPECTED becomes a JSON list of [kernel, module, stack]; the module is that
of `record --modules`, or "" outside of all. Prints what a program can see of the hook, and ends with status 7.
"""

import ctypes
import json
import os
import subprocess
import sys
import threading
import time

import torch
from torch.nn import Module

expected = []
cuda = None


def stack():
    frame, found = sys._getframe(1), []
    while frame is not None:
        code = frame.f_code
        found.append(f"{code.co_filename}:{frame.f_lineno} {getattr(code, 'co_qualname', code.co_name)}")
        frame = frame.f_back
    return found


def launch(kernel, module):
    if cuda is None:
        return
    # Both on one line, so that they see this frame alike.
    expected.append([kernel, module, stack()]), check(cuda.cuLaunchKernel(kernels[kernel], 1, 1, 1, 32, 1, 1, 0, None, None, None))


def check(code):
    assert code == 0, code


class Leaf(Module):
    def forward(self, name, times=1):
        for _ in range(times):
            launch("leaf", name)


class Failing(Module):
    def forward(self, name):
        launch("leaf", name)
        raise ValueError("as it should")


class Block(Module):
    def __init__(self):
        super().__init__()
        self.attention, self.failing = Leaf(), Failing()

    def forward(self, name):
        self.attention(name + ".attention", 2)
        launch("block", name)
        try:
            self.failing(name + ".failing")
        except ValueError:
            pass
        launch("block", name)


class Net(Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = Block(), Block()
        self.free = Leaf()

    def forward(self):
        self.first("Net.first")
        launch("net", "Net")
        self.second("Net.second")
        Leaf()("Net.Leaf")  # belongs to no tree
        launch("net", "Net")


class Recursive(Module):
    def forward(self, depth):
        launch("net", "Recursive")
        if depth > 0:
            self(depth - 1)


class Deep(Module):
    """Deeper than stacks are read."""

    def __init__(self, depth):
        super().__init__()
        if depth > 0:
            self.inner = Deep(depth - 1)

    def forward(self, name):
        launch("deep", name)
        if hasattr(self, "inner"):
            self.inner(name + ".inner")


net = Net()
net()  # before CUDA is used
cuda = ctypes.CDLL(sys.argv[1])
check(cuda.cuInit(0))
time.sleep(float(os.environ.get("WAIT_S", "0")))
context, module, kernels = ctypes.c_void_p(), ctypes.c_void_p(), {}
check(cuda.cuCtxCreate_v4(ctypes.byref(context), None, 0, 0))
names = ("leaf", "block", "net", "deep", "outside", "compiled", "thread")
code = "# built in\n" + "".join(f"kernel {name} gpu_ns=5000\n" for name in names)
check(cuda.cuModuleLoadData(ctypes.byref(module), code.encode()))
for name in names:
    kernels[name] = ctypes.c_void_p()
    check(cuda.cuModuleGetFunction(ctypes.byref(kernels[name]), module, name.encode()))

for _ in range(3):
    net()
    launch("outside", "")
net.first("Block")
net.free("Leaf")
net.first.attention = Leaf()  # another one in its place
net()
Recursive()(3)
Deep(40)("Deep")
try:
    Failing()("Failing")
except ValueError:
    launch("outside", "")

torch.compiler.compiling = True
net.free("")
torch.compiler.compiling = False


class InThread(Module):
    def forward(self):
        for _ in range(20):
            launch("thread", "InThread")


def in_a_thread():
    check(cuda.cuCtxSetCurrent(context))
    InThread()()
    launch("outside", "")


threads = [threading.Thread(target=in_a_thread) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
for _ in range(200):  # modules that come and go
    Leaf()("Leaf")

child = os.fork()
if child == 0:
    cuda = None
    net()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
net()

with open(sys.argv[2], "w") as file:
    json.dump(expected, file)
ours = ("LD_PRELOAD", "CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH")
print({name: value for name, value in sorted(os.environ.items()) if name not in ours and not name.startswith("COALESCOPE_")})
print(sys.path, [str(getattr(finder, "__name__", type(finder))) for finder in sys.meta_path])
print(getattr(sys.modules.get("sitecustomize"), "__file__", None), type(torch.nn.modules.module.__loader__).__name__)
print(vars(torch.nn.modules.module.__loader__))
sys.stdout.flush()
subprocess.run([*sys.argv[3:], "-c", "import os, sys; print(os.environ.get('PYTHONPATH'), sys.path[1:])"], check=True)
sys.exit(7)
