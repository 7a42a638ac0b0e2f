"""What the Python programs of this folder share: how long the part lasts in which each step is like the others."""
import sys
import time


class Steady:
    """`with Steady(): ...` around that part; the device must be idle at both ends. Says on stderr how long it took."""

    def __enter__(self):
        self.began = time.perf_counter()
        return self

    def __exit__(self, *_):
        print(f"steady {time.perf_counter() - self.began:.6f} s", file=sys.stderr)
