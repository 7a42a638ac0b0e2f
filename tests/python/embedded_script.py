"""What embedded.cpp runs: launches from Python in an interpreter that another program began.

embedded_script.py LIBCUDA EXPECTED [again]: EXPECTED becomes a JSON list of [what, kernel, stack], as program.py
writes it; "again" adds to it.
"""

import ctypes
import json
import sys
import threading

cuda = ctypes.CDLL(sys.argv[1])
again = sys.argv[-1] == "again"
expected = json.load(open(sys.argv[2])) if again else []
handle = ctypes.c_void_p


def check(code):
    assert code == 0, code


def stack():
    frame, found = sys._getframe(2), []
    while frame is not None:
        code = frame.f_code
        found.append(f"{code.co_filename}:{frame.f_lineno} {getattr(code, 'co_qualname', code.co_name)}")
        frame = frame.f_back
    return found


module, kernels = handle(), {}
names = ("embedded_again" if again else "embedded", "embedded_thread")
check(cuda.cuModuleLoadData(ctypes.byref(module), ("# built in\n" + "".join(f"kernel {n}\n" for n in names)).encode()))
for name in names:
    kernels[name] = handle()
    check(cuda.cuModuleGetFunction(ctypes.byref(kernels[name]), module, name.encode()))


def note(name):
    expected.append(["launch", name, stack()])


def launch(name):
    # Both on one line, so that they see this frame alike.
    note(name), check(cuda.cuLaunchKernel(kernels[name], 1, 1, 1, 32, 1, 1, 0, None, None, None))


def recursive(depth):
    launch(names[0]) if depth == 0 else recursive(depth - 1)


context = handle()
check(cuda.cuCtxGetCurrent(ctypes.byref(context)))


def in_a_thread():
    check(cuda.cuCtxSetCurrent(context))
    for _ in range(20):
        launch("embedded_thread")


for i in range(40):
    recursive(i)
threads = [threading.Thread(target=in_a_thread) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
with open(sys.argv[2], "w") as file:
    json.dump(expected, file)
