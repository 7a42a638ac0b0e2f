// Number-theoretic transforms of 8192 polynomials of 4096 coefficients of a field of 31 bits, each in shared
// memory.
// At fault: a thread takes four butterflies in a row, so that lanes are four or eight words apart and share
// banks. The pattern is that of matter-labs/era-boojum-cuda, pull request 15, whose new transforms have no
// such conflicts, without padding; here the lanes take butterflies side by side.
#include "../case.cuh"

namespace {

constexpr int kLength = 4096, kPolynomials = 8192, kThreads = 512, kEach = kLength / 2 / kThreads;
constexpr unsigned kPrime = 2013265921, kRoot = 31;
constexpr std::size_t kCoefficients = std::size_t{kPolynomials} * kLength;

// -1 / kPrime modulo 2^32, for Montgomery's form.
constexpr unsigned kMinusInverse = 2013265919;

__host__ __device__ unsigned multiplied(unsigned one, unsigned other) {
  const auto product = static_cast<unsigned long long>(one) * other;
  const unsigned factor = static_cast<unsigned>(product) * kMinusInverse;
  const auto high = static_cast<unsigned>((product + static_cast<unsigned long long>(factor) * kPrime) >> 32);
  return high >= kPrime ? high - kPrime : high;
}

__device__ void butterfly(unsigned* values, const unsigned* powers, int number, int half) {
  const int place = number % half, low = (number / half) * 2 * half + place, high = low + half;
  const unsigned one = values[low], other = values[high];  // fault
  const unsigned sum = one + other, difference = one + kPrime - other;
  values[low] = sum >= kPrime ? sum - kPrime : sum;  // fault
  const unsigned below = difference >= kPrime ? difference - kPrime : difference;
  values[high] = multiplied(below, powers[half + place]);  // fault
}

template <bool kInARow>
__device__ void transform(unsigned* out, const unsigned* in, const unsigned* powers) {
  __shared__ unsigned values[kLength];
  const int thread = static_cast<int>(threadIdx.x);
  const std::size_t first = std::size_t{blockIdx.x} * kLength;
  for (int i = thread; i < kLength; i += kThreads) values[i] = in[first + i];
#pragma unroll 1
  for (int half = kLength / 2; half > 0; half /= 2) {
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      butterfly(values, powers, kInARow ? thread * kEach + i : thread + i * kThreads, half);
    }
  }
  __syncthreads();
  for (int i = thread; i < kLength; i += kThreads) out[first + i] = values[i];
}

__global__ void __launch_bounds__(kThreads)
    transform_in_a_row(unsigned* out, const unsigned* in, const unsigned* __restrict__ powers) {
  transform<true>(out, in, powers);
}

__global__ void __launch_bounds__(kThreads)
    transform_side_by_side(unsigned* out, const unsigned* in, const unsigned* __restrict__ powers) {
  transform<false>(out, in, powers);
}

unsigned power(unsigned base, unsigned exponent) {
  unsigned long long result = 1, square = base;
  for (; exponent > 0; exponent /= 2, square = square * square % kPrime)
    if (exponent % 2 == 1) result = result * square % kPrime;
  return static_cast<unsigned>(result);
}

// Those of each stage side by side, from its half on, in Montgomery's form.
void fill_powers(unsigned* powers) {
  auto* host = pinned_array<unsigned>(kLength);
  for (unsigned half = 1; half < kLength; half *= 2) {
    const unsigned step = power(kRoot, (kPrime - 1) / (2 * half));
    unsigned long long own = 1;
    for (unsigned i = 0; i < half; ++i, own = own * step % kPrime) {
      host[half + i] = static_cast<unsigned>((own << 32) % kPrime);
    }
  }
  CHECK(cudaMemcpy(powers, host, kLength * sizeof(unsigned), cudaMemcpyHostToDevice));
  CHECK(cudaFreeHost(host));
}

Case make(bool in_a_row) {
  auto* in = device_array<unsigned>(kCoefficients);
  auto* out = device_array<unsigned>(kCoefficients);
  auto* powers = device_array<unsigned>(kLength);
  fill_below(in, kCoefficients, kPrime, 1);
  fill_powers(powers);
  return {[=] {
            if (in_a_row) {
              transform_in_a_row<<<kPolynomials, kThreads>>>(out, in, powers);
            } else {
              transform_side_by_side<<<kPolynomials, kThreads>>>(out, in, powers);
            }
          },
          // The last coefficients count more, as the order matters.
          [=] { return device_sum(out, kCoefficients) + device_sum(out, kLength); }, 600};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
