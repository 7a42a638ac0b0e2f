"""What the Python programs of the jury share; case.cuh is the same for C++.

    NAME.py fault|clean|both     stderr: "SIDE steady SECONDS s"; stdout: "sum VALUE"; a line of both for each side

The status is 1 where both sides ran and their sums differ."""
import sys
import time


def wait_for(result):
    """Returns when the device is idle, for each library that the program has imported. JAX waits for a result only."""
    if "torch" in sys.modules:
        sys.modules["torch"].cuda.synchronize()
    if "cupy" in sys.modules:
        sys.modules["cupy"].cuda.Device().synchronize()
    if "jax" in sys.modules:
        sys.modules["jax"].block_until_ready(result)


def run_side(side: str, make) -> float:
    one_round, total, rounds = make()
    result = None
    began = time.perf_counter()
    for number in range(rounds):
        if number == rounds // 2:
            wait_for(result)
            began = time.perf_counter()
        result = one_round()
    wait_for(result)
    print(f"{side} steady {time.perf_counter() - began:.6f} s", file=sys.stderr)
    value = float(total())
    print(f"sum {value:.9g}")
    return value


def run_case(fault, clean):
    """Each is a function without parameters that returns (round, sum, rounds); `fault` may be None. A round of JAX returns its
    arrays. Ends the program."""
    sides = {"fault": fault, "clean": clean} if fault else {"clean": clean}
    asked = sys.argv[1] if len(sys.argv) == 2 else ""
    if asked in sides:
        run_side(asked, sides[asked])
        sys.exit(0)
    if not fault or asked != "both":
        sys.exit(f"usage: {sys.argv[0]} " + ("fault|clean|both" if fault else "clean"))
    one, other = (run_side(side, make) for side, make in sides.items())
    if abs(one - other) > 1e-3 * max(abs(one), abs(other)):
        print("the sums differ", file=sys.stderr)
        sys.exit(1)
    sys.exit(0)
