"""Launches, copies, waits and allocates through the driver, from places that it writes down as it goes.

program.py LIBCUDA PROBE EXPECTED: EXPECTED becomes a JSON list of [what, kernel, stack]; a stack is a list
of "file:line function", innermost first.
"""

import ctypes
import json
import os
import sys
import threading

cuda = ctypes.CDLL(sys.argv[1])
probe = ctypes.CDLL(sys.argv[2])
expected = []
handle = ctypes.c_void_p


def check(code):
    assert code == 0, code


def stack(skip):
    frame, found = sys._getframe(skip), []
    while frame is not None:
        code = frame.f_code
        found.append(f"{code.co_filename}:{frame.f_lineno} {getattr(code, 'co_qualname', code.co_name)}")
        frame = frame.f_back
    return found


def note(what, kernel="", around=()):
    expected.append([what, kernel, stack(2) + list(around)])


check(cuda.cuInit(0))
context = handle()
check(cuda.cuCtxCreate_v4(ctypes.byref(context), None, 0, 0))
module = handle()
KERNELS = ("direct", "looped", "threaded", "switched", "captured", "reused", "backward", "after",
           "candidate")
code = "# built in\n" + "".join(f"kernel {name} gpu_ns=5000\n" for name in KERNELS)
check(cuda.cuModuleLoadData(ctypes.byref(module), code.encode()))
kernels = {}
for name in KERNELS:
    kernels[name] = handle()
    check(cuda.cuModuleGetFunction(ctypes.byref(kernels[name]), module, name.encode()))


def launch(name, stream=None, what="launch", around=()):
    # Both on one line, so that they see this frame alike.
    note(what, name, around), check(cuda.cuLaunchKernel(kernels[name], 1, 1, 1, 32, 1, 1, 0, stream, None, None))


def without_frames(name):
    probe.probe_launch_without_frames(ctypes.cast(cuda.cuCtxSetCurrent, handle), context,
                                      ctypes.cast(cuda.cuLaunchKernel, handle), kernels[name])


class Model:
    def forward(self):
        launch("direct")
        self.block()

    def block(self):
        launch("direct")


def step(model):
    for _ in range(3):
        launch("looped")
    model.forward()


for _ in range(20):
    step(Model())



def in_greenlets():
    """Stacks that take turns on one thread."""
    try:
        from greenlet import greenlet
    except ImportError:
        return

    def one():
        for _ in range(10):
            launch("switched")
            second.switch()

    def other():
        for _ in range(10):
            launch("switched")
            first.switch()

    first, second = greenlet(one), greenlet(other)
    first.switch()
    launch("switched")


def after_fork():
    """A forked child has no GPU, and what it does there is nobody's; its parent goes on."""
    child = os.fork()
    if child == 0:
        threads = [threading.Thread(target=stack, args=(0,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    launch("direct")


in_greenlets()
after_fork()


def in_a_thread():
    check(cuda.cuCtxSetCurrent(context))
    for _ in range(50):
        launch("threaded")


threads = [threading.Thread(target=in_a_thread) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()

stream = handle()
check(cuda.cuStreamCreate(ctypes.byref(stream), 0))
check(cuda.cuStreamBeginCapture_v2(stream, 0))
launch("captured", stream, "graph_node")
graph, executable = handle(), handle()
check(cuda.cuStreamEndCapture(stream, ctypes.byref(graph)))
check(cuda.cuGraphInstantiateWithFlags(ctypes.byref(executable), graph, ctypes.c_ulonglong(0)))
for _ in range(10):
    note("graph_launch", "captured"), check(cuda.cuGraphLaunch(executable, stream))

for _ in range(5):
    note("transfer"), check(cuda.cuMemcpyHtoD_v2(ctypes.c_uint64(0), None, ctypes.c_size_t(4096)))
memory = ctypes.c_uint64()
note("allocation"), check(cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(1 << 20)))
for _ in range(4):
    note("wait"), check(cuda.cuCtxSynchronize())

# Code that takes the place of other code, at the same address more often than not.
for i in range(30):
    space = {"launch": launch}
    exec(compile("\n" * i + "def generated():\n  launch('reused')\ngenerated()", f"<cell {i}>", "exec"), space)
    del space

# The way of PyTorch: the calling thread makes the first gradient, others do the rest. Where a gradient is computed
# in Python, theirs calls the function.
BACKWARD, FUNCTION = "/site-packages/torch/autograd/__init__.py", "/site-packages/torch/autograd/function.py"
caller = []
engine = {"launch": launch, "caller": caller, "bind": lambda: check(cuda.cuCtxSetCurrent(context))}
exec(compile("def apply(unused):\n  bind()\n  launch('backward', around=caller)", FUNCTION, "exec"), engine)
apply = ctypes.CFUNCTYPE(None, handle)(engine["apply"])


def on_engine(around):
    caller[:] = around
    libc, thread = ctypes.CDLL(None), ctypes.c_ulong()
    check(libc.pthread_create(ctypes.byref(thread), None, apply, None))
    check(libc.pthread_join(thread, None))


torch = {"launch": launch, "without_frames": without_frames, "on_engine": on_engine, "expected": expected,
         "stack": stack, "__file__": BACKWARD}
exec(compile("""
# Made by a string, so that it has PyTorch's file name.
def backward():
    launch("backward")
    expected.append(["launch", "backward", [f"{__file__}:4 backward"] + stack(2)])
    without_frames("backward")
    on_engine([f"{__file__}:4 backward"] + stack(2))
""", BACKWARD, "exec"), torch)
for _ in range(3):
    torch["backward"]()
# The way of Triton: what its autotuner times has no record.
AUTOTUNER = "/site-packages/triton/runtime/autotuner.py"
triton = {"launch": launch}
exec(compile("class Autotuner:\n  def _bench(self):\n    launch('candidate')", AUTOTUNER, "exec"), triton)
for _ in range(6):
    triton["Autotuner"]()._bench()
    launch("direct")
launch("after")  # the call of backward() is over: nobody knows where the next one comes from
without_frames("after")
check(cuda.cuCtxSynchronize())
with open(sys.argv[3], "w") as file:
    json.dump(expected, file)
print("done")
