"""Compares the stack that injection/python reads with what Python says itself, in many situations.

stack_test.py PROBE [--cost]: PROBE is libpython_probe.so. Prints nothing but failures; --cost prints what one
look at a stack of 5, 20 and 60 frames takes.
"""

import ctypes
import os
import sys
import threading

probe = ctypes.CDLL(sys.argv[1])  # without the interpreter's lock
held = ctypes.PyDLL(sys.argv[1])  # with it
probe.probe_hash.restype = held.probe_hash.restype = ctypes.c_uint64
probe.probe_cost_ns.restype = ctypes.c_double
probe.probe_stack.argtypes = held.probe_stack.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
failures = []
compared = 0
MOST = 64


def spoken(frame):
    """What a frame says of itself; the function is qualified where the code object knows that."""
    code = frame.f_code
    name = getattr(code, "co_qualname", code.co_name)
    return f"{code.co_filename}\t{frame.f_lineno}\t{name}"


def expected():
    frame, lines = sys._getframe(1), []
    while frame is not None and len(lines) < MOST:
        lines.append(spoken(frame))
        frame = frame.f_back
    return lines



def compare(what, library=probe):
    global compared
    compared += 1
    text = ctypes.create_string_buffer(1 << 16)
    # On one line, so that both see this frame at the same place.
    said, _ = expected(), library.probe_stack(text, len(text))
    read = text.value.decode("utf-8", "surrogatepass").splitlines()
    if read != said:
        difference = next((pair for pair in zip(read, said) if pair[0] != pair[1]), (len(read), len(said)))
        failures.append(f"{what}: {difference[0]!r} was read, {difference[1]!r} is right\n  {read[:3]}")


def check(what):
    compare(what + ", without the lock", probe)
    compare(what + ", with the lock", held)


def recursive(depth):
    if depth == 0:
        check("recursion")
    else:
        recursive(depth - 1)


def generator():
    yield 1
    check("generator")
    yield from inner_generator()


def inner_generator():
    check("generator in a generator")
    yield 2


class Thing:
    check("class body")

    def __init__(self):
        check("method")

    def __del__(self):
        check("destructor")

    @property
    def value(self):
        check("property")
        return 1

    def __lt__(self, other):
        check("called from C")
        return True


def many_lines():
    return [
        0,
        check(
            "a call over several lines"
        ),
        (lambda: check("lambda"))(),
        [check("comprehension") for _ in range(2)],
        sorted([Thing(), Thing()]),
        list(map(lambda _: check("map"), [1])),
    ]


def in_handlers():
    try:
        raise ValueError
    except ValueError:
        check("except")
    finally:
        check("finally")
    with Context():
        check("with")


class Context:
    def __enter__(self):
        check("enter")

    def __exit__(self, *_):
        check("exit")


def with_jump():
    # The line tables have large steps, forwards and backwards.
    lines = ["def far(n):", "  for i in range(n):"] + [""] * 300 + ["    check('far below')"] + [""] * 5000 + ["  check('at the end')"]
    space = {"check": check}
    exec(compile("\n".join(lines), "<far>", "exec"), space)
    space["far"](2)


def 名前():
    check("a name that is not ASCII")


def émile():
    check("a name of Latin-1")


def as_code():
    exec(compile("\n" * 300 + "check('generated code')", "<generated ü>", "exec"), globals())
    exec(compile("def 𝒻():\n  check('wide names')\n𝒻()", "/tmp/𝒻.py", "exec"), globals())


def in_coroutines():
    import asyncio

    async def inner():
        check("coroutine")
        await asyncio.sleep(0)
        check("coroutine, once more")

    async def outer():
        await asyncio.gather(inner(), inner())

    asyncio.run(outer())


def in_threads():
    threads = [threading.Thread(target=recursive, args=(20,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def in_callback():
    kind = ctypes.CFUNCTYPE(ctypes.c_int)

    def called():
        check("a callback from C")
        return 0

    kind(called)()


def signalled():
    import signal

    signal.signal(signal.SIGUSR1, lambda *_: check("signal handler"))
    signal.raise_signal(signal.SIGUSR1)


def traced():
    sys.settrace(lambda frame, event, _: None)
    check("traced")
    sys.settrace(None)


def replaced():
    """Code that takes the place of other code has another number."""
    seen = set()
    for i in range(50):
        space = {"probe": probe}
        exec(compile("\n" * i + "def f():\n  return probe.probe_hash()", f"<{i}>", "exec"), space)
        seen.add(space["f"]())
        del space
    if len(seen) != 50:
        failures.append(f"50 functions, one after the other, have {len(seen)} numbers")


def equal():
    """The same place has the same number, another line has another."""
    numbers = {probe.probe_hash() for _ in range(10)}
    other = probe.probe_hash()
    if len(numbers) != 1 or other in numbers or 0 in numbers:
        failures.append(f"numbers of one place and of another: {numbers}, {other}")


def nowhere():
    """A thread that runs no Python."""
    c, thread, result = ctypes.CDLL(None), ctypes.c_ulong(), ctypes.c_void_p()
    c.pthread_create(ctypes.byref(thread), None, probe.probe_hash, None)
    c.pthread_join(thread, ctypes.byref(result))
    if result.value not in (None, 0):  # kNoPython
        failures.append("a thread without Python has a stack")


def in_greenlets():
    """Stacks that are put away and taken up again, each with its own outermost frame."""
    try:
        import greenlet
    except ImportError:
        # Debian's has it; see scripts/install_packages.
        if sys.executable == "/usr/bin/python3":
            failures.append("greenlet is missing")
        return

    def outer(depth):
        if depth > 0:
            return outer(depth - 1)
        check("greenlet")
        other.switch()
        check("greenlet, taken up again")
        return "ended"

    def inner():
        check("another greenlet")
        one.switch()
        failures.append("a greenlet that has ended went on")

    def thrown():
        try:
            greenlet.getcurrent().parent.switch()
        finally:
            check("greenlet, while it is ended")

    def in_a_thread():
        greenlet.greenlet(lambda: recursive(5)).switch()
        check("after a greenlet of a thread")

    one, other = greenlet.greenlet(lambda: outer(10)), greenlet.greenlet(inner)
    one.switch()
    check("after greenlets")
    left = greenlet.greenlet(thrown)
    left.switch()
    left.throw()
    threads = [threading.Thread(target=in_a_thread) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def after_fork():
    """The child's own thread, and threads that it begins; none of the parent's go on there."""
    hold = threading.Event()
    waiting = [threading.Thread(target=lambda: (hold.wait(), recursive(3))) for _ in range(4)]
    for thread in waiting:
        thread.start()
    child = os.fork()
    if child == 0:
        failures.clear()
        check("forked child")
        in_threads()
        grandchild = os.fork()
        if grandchild == 0:
            check("child of a forked child")
            os._exit(len(failures))
        failed = os.waitpid(grandchild, 0)[1]
        os._exit(1 if failures or failed or probe.probe_is_broken() else 0)
    if os.waitpid(child, 0)[1] != 0:
        failures.append("stacks in a forked child")
    hold.set()
    for thread in waiting:
        thread.join()
    # From a thread, which is the child's main thread then.
    status = []

    def fork_here():
        forked = os.fork()
        if forked == 0:
            failures.clear()
            check("forked from a thread")
            os._exit(1 if failures else 0)
        status.append(os.waitpid(forked, 0)[1])

    thread = threading.Thread(target=fork_here)
    thread.start()
    thread.join()
    if status != [0]:
        failures.append("stacks in a child that was forked from a thread")


def interpreters():
    try:
        import _interpreters as subs
    except ImportError:
        import _xxsubinterpreters as subs
    text = f"""
import ctypes
probe = ctypes.PyDLL({sys.argv[1]!r})
text = ctypes.create_string_buffer(1 << 16)
probe.probe_stack(text, len(text))
if text.value.startswith(b"error"): raise SystemExit(text.value)
"""
    try:
        sub = subs.create("legacy")  # 3.13: one that may load ctypes
    except TypeError:
        sub = subs.create(isolated=False)
    getattr(subs, "exec", getattr(subs, "run_string", None))(sub, text)
    subs.destroy(sub)
    check("after a sub-interpreter")


def cost(depth):
    return probe.probe_cost_ns(100000) if depth <= 4 else cost(depth - 1)


if "--cost" in sys.argv:
    for _ in range(40):
        probe.probe_hash()
    for depth in (5, 20, 60):
        print(f"{sys.version.split()[0]}: {cost(depth):.0f} ns a look at {depth} frames")
    sys.exit()

for test in (lambda: recursive(3), lambda: recursive(40), lambda: list(generator()), many_lines, in_handlers,
             with_jump, 名前, émile, as_code, in_coroutines, in_threads, in_callback, signalled,
             traced, replaced, equal, nowhere, lambda: Thing().value, in_greenlets, after_fork,
             interpreters):
    test()
sys.setrecursionlimit(20000)
recursive(900)
if probe.probe_is_broken():
    failures.append("the interpreter's layout was refused")
if compared < 80:
    failures.append(f"only {compared} stacks were compared")
for failure in failures[:10]:
    print(failure)
sys.exit(1 if failures else 0)
