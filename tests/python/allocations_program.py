"""Launches kernels with pointers into tensors, and writes down who asked for each tensor's memory.

allocations_program.py LIBCUDA LIBC10 EXPECTED: EXPECTED becomes a JSON object: by kernel, the stack of Python where the
memory was asked for, innermost first, and whether it is of PyTorch's pool.
"""

import ctypes
import json
import sys

import torch

expected = {}
cuda = ctypes.CDLL(sys.argv[1])
kernels, module, context = {}, ctypes.c_void_p(), ctypes.c_void_p()
NAMES = ("first", "view", "second", "again", "own", "backward", "engine", "none")


def check(code):
    assert code == 0, code


def begin():
    check(cuda.cuInit(0))
    check(cuda.cuCtxCreate_v4(ctypes.byref(context), None, 0, 0))
    code = "# built in\n" + "".join(f"kernel {name} pointer gpu_ns=5000\n" for name in NAMES)
    check(cuda.cuModuleLoadData(ctypes.byref(module), code.encode()))
    for name in NAMES:
        kernels[name] = ctypes.c_void_p()
        check(cuda.cuModuleGetFunction(ctypes.byref(kernels[name]), module, name.encode()))
    torch.cuda.native = ctypes.CDLL(sys.argv[2])


def stack(depth=1):
    frame, found = sys._getframe(depth), []
    while frame is not None:
        code = frame.f_code
        found.append(f"{code.co_filename}:{frame.f_lineno} {getattr(code, 'co_qualname', code.co_name)}")
        frame = frame.f_back
    return found


def launch(kernel, address, who, pool=True):
    expected[kernel] = [who, pool]
    value = ctypes.c_ulonglong(address)
    parameters = (ctypes.c_void_p * 1)(ctypes.cast(ctypes.byref(value), ctypes.c_void_p))
    check(cuda.cuLaunchKernel(kernels[kernel], 1, 1, 1, 32, 1, 1, 0, None, parameters, None))


def tensor():
    # Both on one line, so that they see this frame alike.
    who, block = stack(), torch.cuda.take(512)
    return who, block


def weights():
    return tensor()


torch.cuda._lazy_init(begin)
first, second = weights(), tensor()
launch("first", first[1], first[0])
launch("view", first[1] + 100, first[0])
launch("second", second[1] + 511, second[0])
torch.cuda.give_back(first[1])
again = tensor()
assert again[1] == first[1]
launch("again", again[1], again[0])

own = ctypes.c_ulonglong()
who = [*stack()]; check(cuda.cuMemAlloc_v2(ctypes.byref(own), ctypes.c_size_t(4096)))  # noqa: E702
launch("own", own.value + 8, who, pool=False)

# PyTorch's engine: a thread without frames allocates for the call of backward() that waits for it.
block, engine = second[1], {}
pthread = ctypes.CDLL(None)
START = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)


def on_engine(address):
    from torch.cuda import _gpu_trace

    fire = _gpu_trace.MemoryAllocationCallbacks.fire_callbacks
    began, thread = START(fire), ctypes.c_ulong()
    check(pthread.pthread_create(ctypes.byref(thread), None, began, ctypes.c_void_p(address)))
    check(pthread.pthread_join(thread, None))


def work():
    engine["who"] = stack(2)
    launch("backward", second[1], second[0])
    torch.cuda.give_back(block)
    on_engine(block)


place = {}
exec(compile("def backward(run):\n    run()\n", "/v/torch/autograd/__init__.py", "exec"), place)
place["backward"](work)
launch("engine", block, engine["who"])
launch("none", 64, None, pool=None)

with open(sys.argv[3], "w") as file:
    json.dump(expected, file)
print("done", torch.cuda.native.c10_segment is not None)
