"""One kernel that does two or three things, told apart by its parameters or its data: one case a run.

Prints to stderr how often each thing was done: "did KERNEL 24 36 60". KERNEL is a regular expression."""
import functools
import itertools
import random
import sys

TIMES = (24, 36, 60)  # of the first, second, third thing
SIDE = 2048


def in_turn(kernel: str, things: list, times: tuple = TIMES) -> None:
    """Does each so often, in an order that has no rhythm."""
    order = [number for number in range(len(things)) for _ in range(times[number])]
    random.Random(7).shuffle(order)
    for number in order:
        things[number]()
    print("did", kernel, *times[:len(things)], file=sys.stderr)


def torch_add():
    import torch
    x, y, out = (torch.rand(SIDE, SIDE, device="cuda") for _ in range(3))
    every_second = torch.rand(SIDE, 2 * SIDE, device="cuda")[:, ::2]
    in_turn(r"(?<!vectorized_)elementwise_kernel", [lambda: torch.add(x, y.t(), out=out), lambda: torch.add(x, every_second, out=out),
                                                    lambda: torch.add(x, y[:1], out=out)])
    return out.sum().item()


def torch_copy():
    import torch
    x, out = torch.rand(SIDE, SIDE, device="cuda"), torch.empty(SIDE, SIDE, device="cuda")
    every_second = torch.rand(SIDE, 2 * SIDE, device="cuda")[:, ::2]
    in_turn("elementwise_kernel", [lambda: out.copy_(x.t()), lambda: out.copy_(every_second)])
    return out.sum().item()


def torch_gather():
    import torch
    x, out = torch.rand(SIDE, 256, device="cuda"), torch.empty(256, 256, device="cuda")
    rows = torch.randint(0, SIDE, (256,), device="cuda")
    columns = torch.rand(256, SIDE, device="cuda")
    in_turn("index|gather", [lambda: torch.index_select(x, 0, rows, out=out), lambda: torch.index_select(columns.t(), 0, rows, out=out)])
    return out.sum().item()


def cupy_add():
    import cupy
    rows, other, out = (cupy.random.rand(SIDE, SIDE, dtype=cupy.float32) for _ in range(3))
    columns = cupy.asfortranarray(other)
    in_turn("add", [lambda: cupy.add(rows, other, out=out), lambda: cupy.add(rows, columns, out=out),
                    lambda: cupy.add(rows, other[:1], out=out)])
    return float(out.sum())


def cupy_memory():
    import cupy
    import numpy
    scale = cupy.RawKernel(r"""extern "C" __global__ void scale(const float* in, float* out, int count) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < count) out[i] = 2 * in[i];
    }""", "scale")
    count = 1 << 20
    pinned = cupy.cuda.alloc_pinned_memory(4 * count)
    numpy.frombuffer(pinned, numpy.float32, count)[:] = 1
    near, out = cupy.ones(count, cupy.float32), cupy.empty(count, cupy.float32)
    in_turn("^scale", [lambda: scale((count // 256,), (256,), (near, out, count)),
                       lambda: scale((count // 256,), (256,), (numpy.uintp(pinned.ptr), out, count))])
    return float(out.sum())


def cupy_stride():
    import cupy
    import numpy
    walk = cupy.RawKernel(r"""struct Walk { int stride, from; float by; };
    extern "C" __global__ void walk(const float* in, float* out, Walk how, int count) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      out[i] = how.by * in[((long long)i * how.stride + how.from) % count];
    }""", "walk")
    count = 1 << 22
    as_walk = numpy.dtype([("stride", numpy.int32), ("from", numpy.int32), ("by", numpy.float32)])
    x, out = cupy.random.rand(count, dtype=cupy.float32), cupy.empty(count, cupy.float32)
    number = itertools.count()  # changes with each launch, and nothing else

    def by(stride):
        return lambda: walk((count // 256,), (256,), (x, out, numpy.array((stride, 0, next(number)), as_walk)[()], count))
    in_turn("^walk", [by(1), by(2), by(33)])
    return float(out[:16].sum() > 0)


def triton_stride():
    import torch
    import triton
    import triton.language as tl

    @triton.jit
    def take(x, y, row_stride, column_stride, BLOCK: tl.constexpr):
        row, at = tl.program_id(0), tl.arange(0, BLOCK)
        tl.store(y + row * BLOCK + at, tl.load(x + row * row_stride + at * column_stride))

    x, y = torch.rand(4 * SIDE, 4 * SIDE, device="cuda"), torch.empty(SIDE, SIDE, device="cuda")
    in_turn("take", [lambda: take[(SIDE,)](x, y, 4099, 3, BLOCK=SIDE), lambda: take[(SIDE,)](x, y, 3, 4099, BLOCK=SIDE)])
    return y.sum().item()


def triton_option():
    import torch
    import triton
    import triton.language as tl

    @triton.jit
    def scaled(x, index, y, by_index, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        place = at
        if by_index > 2:
            place = tl.load(index + at)
        tl.store(y + at, 2 * tl.load(x + place))

    count = SIDE * SIDE
    x, y = torch.rand(count, device="cuda"), torch.empty(count, device="cuda")
    index = torch.randperm(count, device="cuda", dtype=torch.int32)
    in_turn("scaled", [lambda: scaled[(count // 1024,)](x, index, y, 2, BLOCK=1024), lambda: scaled[(count // 1024,)](x, index, y, 3, BLOCK=1024)])
    return y.sum().item()


def taker():
    import torch
    count = 1 << 22
    x, out = torch.rand(count, device="cuda"), torch.empty(count, device="cuda")
    order, index = torch.arange(count, device="cuda"), torch.empty(count, dtype=torch.int64, device="cuda")
    shuffled = torch.randperm(count, device="cuda")

    def take(which):
        index.copy_(which)
        torch.take(x, index, out=out)
        return out
    return take, order, shuffled


def call_site():
    """The data differ, and each kind is called at a place of its own."""
    take, order, shuffled = taker()
    in_turn("take|index", [lambda: take(order), lambda: take(shuffled)], (240, 360))
    return take(order).sum().item()


def data_only():
    """Nothing but the data differ: to be called mixed."""
    take, order, shuffled = taker()
    in_turn("take|index", [functools.partial(take, order), functools.partial(take, shuffled)])
    return take(order).sum().item()


CASES = {case.__name__: case for case in (torch_add, torch_copy, torch_gather, cupy_add, cupy_memory, cupy_stride, triton_stride,
                                          triton_option, call_site, data_only)}

if __name__ == "__main__":
    import warnings
    warnings.simplefilter("ignore")
    if not sys.argv[1].startswith("cupy"):
        import torch
        torch.manual_seed(0)
    else:
        import cupy
        cupy.random.seed(0)
    print(f"{sys.argv[1]} {CASES[sys.argv[1]]():.4g}")
