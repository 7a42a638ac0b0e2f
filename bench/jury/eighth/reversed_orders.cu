// The first half of a transform of 16 polynomials of 4,194,304 coefficients over the field of 2,013,265,921:
// scales them by powers of a shift, puts them into the order of reversed bits, and does ten levels of
// butterflies.
// Nothing is wrong: the order of reversed bits is scattered, but blocks turn tiles of 32 x 32 coefficients in
// padded shared memory, so that warps read and write 128 bytes together. The pattern is that of
// supranational/sppark, pull request 28: the permutation by tiles, several times as fast.
#include <cstdint>
#include <vector>

#include "../case.cuh"

namespace {

using Word = std::uint32_t;

constexpr Word kPrime = 2013265921U, kShift = 31;
constexpr int kBits = 22, kTileBits = 5, kTile = 1 << kTileBits, kMiddleBits = kBits - 2 * kTileBits;
constexpr int kPolynomials = 16, kLevels = 10, kBlock = 1 << kLevels, kTileRows = 8, kRounds = 2000;
constexpr int kPowerBits = 11, kPowers = 1 << kPowerBits;
constexpr std::size_t kLength = std::size_t{1} << kBits, kAll = kPolynomials * kLength;

__host__ __device__ Word product(Word a, Word b) {
  return static_cast<Word>(static_cast<std::uint64_t>(a) * b % kPrime);
}

__device__ Word sum_of(Word a, Word b) {
  const Word sum = a + b;
  return sum >= kPrime ? sum - kPrime : sum;
}

__device__ Word difference(Word a, Word b) {
  return a >= b ? a - b : a + kPrime - b;
}

// A power of the shift is a small one times a large one.
struct Powers {
  const Word *small, *large;
};

__device__ Word power_of(const Powers& powers, Word i) {
  return product(powers.small[i % kPowers], powers.large[i >> kPowerBits]);
}

// A block takes the coefficients whose places have the same middle bits.
__global__ void __launch_bounds__(kTile* kTileRows)
    scale_and_reverse(Word* out, const Word* in, Powers powers) {
  __shared__ Word tile[kTile][kTile + 1];
  const std::size_t polynomial = blockIdx.y * kLength;
  const Word middle = blockIdx.x, turned = __brev(middle) >> (32 - kMiddleBits);
#pragma unroll
  for (Word high = threadIdx.y; high < kTile; high += kTileRows) {
    const Word i = high << (kBits - kTileBits) | middle << kTileBits | threadIdx.x;
    tile[high][threadIdx.x] = product(in[polynomial + i], power_of(powers, i));
  }
  __syncthreads();
  const Word from = __brev(threadIdx.x) >> (32 - kTileBits);
#pragma unroll
  for (Word low = threadIdx.y; low < kTile; low += kTileRows) {
    const Word high = __brev(low) >> (32 - kTileBits);
    out[polynomial + (high << (kBits - kTileBits) | turned << kTileBits | threadIdx.x)] = tile[from][low];
  }
}

// Of two coefficients, half a level's span apart, a thread keeps its own.
__device__ Word butterfly(Word own, Word other, Word twiddle, bool second) {
  return second ? difference(other, product(own, twiddle)) : sum_of(own, product(other, twiddle));
}

// The twiddles of a level begin at half its span.
__global__ void __launch_bounds__(kBlock)
    transform(Word* out, const Word* in, const Word* __restrict__ twiddles) {
  __shared__ Word values[2][kBlock];
  const std::size_t place = std::size_t{blockIdx.x} * kBlock + threadIdx.x;
  Word own = in[place];
#pragma unroll
  for (unsigned half = 1; half < 32; half *= 2) {
    const Word other = __shfl_xor_sync(0xffffffffU, own, half), twiddle = twiddles[half + threadIdx.x % half];
    own = butterfly(own, other, twiddle, (threadIdx.x & half) != 0);
  }
  unsigned side = 0;
#pragma unroll
  for (unsigned half = 32; half < kBlock; half *= 2, side ^= 1) {
    values[side][threadIdx.x] = own;
    __syncthreads();
    const Word other = values[side][threadIdx.x ^ half], twiddle = twiddles[half + threadIdx.x % half];
    own = butterfly(own, other, twiddle, (threadIdx.x & half) != 0);
  }
  out[place] = own;
}

Word power(Word base, std::uint64_t exponent) {
  Word result = 1;
  for (; exponent > 0; exponent /= 2, base = product(base, base)) {
    if (exponent % 2 == 1) result = product(result, base);
  }
  return result;
}

const Word* copied(const std::vector<Word>& words) {
  auto* device = device_array<Word>(words.size());
  CHECK(cudaMemcpy(device, words.data(), words.size() * sizeof(Word), cudaMemcpyHostToDevice));
  return device;
}

const Word* powers_of(Word base) {
  std::vector<Word> words{1};
  for (int i = 1; i < kPowers; ++i) words.push_back(product(words.back(), base));
  return copied(words);
}

const Word* made_twiddles() {
  std::vector<Word> words(kBlock, 1);
  for (std::uint64_t half = 1; half < kBlock; half *= 2) {
    const Word root = power(kShift, (kPrime - 1) / (2 * half));
    for (std::uint64_t i = 0; i < half; ++i) words[half + i] = power(root, i);
  }
  return copied(words);
}

Case make() {
  auto* coefficients = device_array<Word>(kAll);
  auto* reversed = device_array<Word>(kAll);
  fill_below(coefficients, kAll, kPrime, 1);
  const Powers powers{powers_of(kShift), powers_of(power(kShift, kPowers))};
  const Word* twiddles = made_twiddles();
  return {[=] {
            const dim3 tiles(1U << kMiddleBits, kPolynomials);
            scale_and_reverse<<<tiles, dim3(kTile, kTileRows)>>>(reversed, coefficients, powers);
            transform<<<kAll / kBlock, kBlock>>>(coefficients, reversed, twiddles);
          },
          [=] { return device_sum(coefficients, kAll); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
