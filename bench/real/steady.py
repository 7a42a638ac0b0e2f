"""What the Python programs of this folder share: how long the steady part lasts, in which nothing is new any more."""
import sys
import time


def steady(steps: int, wait):
    """The numbers of so many steps. Says on stderr how long the second half of them took; `wait()` returns when the
    device is idle."""
    began = time.perf_counter()
    for number in range(steps):
        if number == steps // 2:
            wait()
            began = time.perf_counter()
        yield number
    wait()
    print(f"steady {time.perf_counter() - began:.6f} s", file=sys.stderr)
