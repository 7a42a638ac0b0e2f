"""Chooses molecules that are unlike those that were bought: each round takes two of the latter, and keeps for each of four
million others how alike it is to the nearest so far, by bits that tell what parts a molecule has.

Nothing is wrong: words of bits are stored a plane each, so lanes read neighbours, bits are counted once, one kernel compares
both and keeps the larger value in place, and nothing waits for the host.
The pattern is that of chembl/FPSim2, FPSim2/FPSim2Cuda.py: likeness by an elementwise kernel, here with planes of words."""
import cupy

from case import run_case

MOLECULES, WORDS, ASKED, SETS, ROUNDS = 1 << 22, 16, 2, 4096, 36000

MIX = """__device__ unsigned long long mixed(unsigned long long value) {
    value += 0x9e3779b97f4a7c15ull;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ull;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebull;
    return value ^ (value >> 31);
}"""

# A quarter of the bits is set.
make_words = cupy.ElementwiseKernel(
    "uint64 seed", "uint64 word", "word = mixed(seed + 2 * i) & mixed(seed + 2 * i + 1)", "make_words", preamble=MIX)

count_bits = cupy.ElementwiseKernel("uint64 word", "int32 bits", "bits = __popcll(word)", "count_bits")

keep_nearest = cupy.ElementwiseKernel(
    "raw uint64 words, raw uint64 asked, raw int32 asked_bits, int32 bits, int32 molecules", "float32 nearest",
    f"""int one = 0, other = 0;
    #pragma unroll
    for (int word = 0; word < {WORDS}; ++word) {{
        const unsigned long long own = words[word * molecules + i];
        one += __popcll(own & asked[word]);
        other += __popcll(own & asked[{WORDS} + word]);
    }}
    const float alike = fmaxf(float(one) / float(bits + asked_bits[0] - one),
                              float(other) / float(bits + asked_bits[1] - other));
    nearest = fmaxf(nearest, alike);""", "keep_nearest")


def made_words(seed, count):
    return make_words(seed, cupy.empty(count, dtype=cupy.uint64))


def choosing():
    words = made_words(1, WORDS * MOLECULES)
    bits = count_bits(words.reshape(WORDS, MOLECULES)).sum(0, dtype=cupy.int32)
    asked = made_words(1 << 40, SETS * ASKED * WORDS).reshape(SETS, ASKED, WORDS)
    asked_bits = list(count_bits(asked).sum(2, dtype=cupy.int32))
    asked = list(asked.reshape(SETS, ASKED * WORDS))
    nearest, state = cupy.zeros(MOLECULES, dtype=cupy.float32), [0]

    def one_round():
        own = state[0] % SETS
        keep_nearest(words, asked[own], asked_bits[own], bits, MOLECULES, nearest)
        state[0] += 1

    return one_round, lambda: float(nearest.sum(dtype=cupy.float64)), ROUNDS


run_case(None, choosing)
