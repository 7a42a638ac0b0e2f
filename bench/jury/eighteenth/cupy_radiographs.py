"""Adds up radiographs of castings: each round takes a picture of 4096 x 4096 pixels, corrects it by the pictures
without rays and without a casting, and adds it to the sum; a pixel that differs much from the median of its nine
neighbours is dead, and the median stands in for it.

At fault: the kernel for the median takes the size of the window as an argument and sorts an array whose places are
known only when it runs, so the array lies in local memory, which is read and written for each comparison; the size is
always three, and with a fixed network of minima and maxima all nine values stay in registers.
The pattern is that of cupy/cupy, pull request 3813 (medians by a network of comparisons for each common window, 7
times as fast for one of three as the general sort), and ROCm/rpp, pull request 681: an array of a thread that would
lie in local memory."""
import cupy as cp

from case import run_case

SIDE, PICTURES, WINDOW, LIMIT, ROUNDS = 4096, 4, 3, 2.5, 13000

correct = cp.ElementwiseKernel(
    "float32 seen, float32 dark, float32 gain", "float32 right", "right = (seen - dark) * gain", "correct")

add_by_sort = cp.RawKernel(r"""
extern "C" __global__ void add_by_sort(const float* __restrict__ right, float* __restrict__ sum, int side, int window,
                                       float limit)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, half = window / 2;
    float near[49];
    int count = 0;
    for (int row = y - half; row <= y + half; ++row)
        for (int column = x - half; column <= x + half; ++column) {
            const float value = right[min(max(row, 0), side - 1) * side + min(max(column, 0), side - 1)];
            int place = count++;
            for (; place > 0 && near[place - 1] > value; --place)
                near[place] = near[place - 1];
            near[place] = value;
        }
    const float own = right[y * side + x], median = near[count / 2];
    sum[y * side + x] += fabsf(own - median) > limit ? median : own;
}
""", "add_by_sort")

add_by_network = cp.RawKernel(r"""
__device__ float middle(float one, float two, float three)
{
    return fmaxf(fminf(one, two), fminf(fmaxf(one, two), three));
}

extern "C" __global__ void add_by_network(const float* __restrict__ right, float* __restrict__ sum, int side,
                                          float limit)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const float* above = right + max(y - 1, 0) * side;
    const float* beside = right + y * side;
    const float* below = right + min(y + 1, side - 1) * side;
    float low = -3e38f, high = 3e38f, middles[3];
#pragma unroll
    for (int number = 0; number < 3; ++number) {
        const int column = min(max(x + number - 1, 0), side - 1);
        const float one = above[column], two = beside[column], three = below[column];
        low = fmaxf(low, fminf(fminf(one, two), three));
        high = fminf(high, fmaxf(fmaxf(one, two), three));
        middles[number] = middle(one, two, three);
    }
    const float own = beside[x], median = middle(low, middle(middles[0], middles[1], middles[2]), high);
    sum[y * side + x] += fabsf(own - median) > limit ? median : own;
}
""", "add_by_network")

BLOCK = 32, 8
GRID = SIDE // BLOCK[0], SIDE // BLOCK[1]


def sort(right, total):
    add_by_sort(GRID, BLOCK, (right, total, cp.int32(SIDE), cp.int32(WINDOW), cp.float32(LIMIT)))  # fault


def compare(right, total):
    add_by_network(GRID, BLOCK, (right, total, cp.int32(SIDE), cp.float32(LIMIT)))


def exposing(add):
    random = cp.random.RandomState(1)
    seen = [random.standard_normal((SIDE, SIDE), dtype=cp.float32) + 10 for _ in range(PICTURES)]
    dark = random.standard_normal((SIDE, SIDE), dtype=cp.float32) * cp.float32(0.1)
    gain = 1 + random.standard_normal((SIDE, SIDE), dtype=cp.float32) * cp.float32(0.01)
    right, total, number = cp.empty_like(dark), cp.zeros_like(dark), [0]

    def one_round():
        correct(seen[number[0] % PICTURES], dark, gain, right)
        add(right, total)  # fault
        number[0] += 1

    return one_round, lambda: total.sum(dtype=cp.float64), ROUNDS


run_case(lambda: exposing(sort), lambda: exposing(compare))
