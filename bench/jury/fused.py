"""What fusing a program's operations gains: a round of one side, as it is and compiled by torch.compile.

    fused.py PROGRAM.py fault|clean [FUNCTION,...]

With functions, each of these is compiled, and not the round. Prints the time of a round both ways, and both sums."""
import os
import sys
import time
import types

import torch

HERE = os.path.dirname(os.path.abspath(__file__))
ROUNDS, WARM_UP = 200, 8


def sides_of(path: str):
    """The program's sides, and its names."""
    sys.path[:0] = [HERE, os.path.dirname(os.path.abspath(path))]
    import case  # as the program does

    sides = {}
    case.run_case = lambda fault, clean: sides.update(fault=fault, clean=clean)
    program = sys.modules["program"] = types.ModuleType("program")  # where torch.compile looks its classes up
    program.__file__ = path
    with open(path, encoding="utf-8") as source:
        exec(compile(source.read(), path, "exec"), vars(program))
    return sides, vars(program)


def timed(make, compiled: bool):
    one_round, total, rounds = make()
    if compiled:
        one_round = torch.compile(one_round)
    for _ in range(WARM_UP):
        one_round()
    rounds = min(rounds, ROUNDS)
    torch.cuda.synchronize()
    began = time.perf_counter()
    for _ in range(rounds):
        one_round()
    torch.cuda.synchronize()
    return 1e6 * (time.perf_counter() - began) / rounds, total()


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(f"usage: {sys.argv[0]} PROGRAM.py fault|clean [FUNCTION,...]")
    sides, names = sides_of(sys.argv[1])
    if not sides.get(sys.argv[2]):
        sys.exit(f"{sys.argv[1]} has no side '{sys.argv[2]}'")
    functions = sys.argv[3].split(",") if len(sys.argv) == 4 else []
    before_us, before = timed(sides[sys.argv[2]], False)
    for name in functions:
        names[name] = torch.compile(names[name])
    after_us, after = timed(sides[sys.argv[2]], not functions)
    print(f"{os.path.basename(sys.argv[1])} {sys.argv[2]}, {' '.join(functions) or 'the round'} compiled: {before_us:.1f} us, "
          f"then {after_us:.1f} us: {100 * (1 - after_us / before_us):.1f} % saved; sums {before:.7g} and {after:.7g}")


if __name__ == "__main__":
    main()
