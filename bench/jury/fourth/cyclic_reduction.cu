// Solves 65,536 tridiagonal systems of 512 equations by cyclic reduction, a system a block.
// At fault: each level doubles the distance of the words that the lanes take in shared memory, up to 16 of
// them from one bank. The pattern is that of ashwinsrnth/near-toeplitz-tridiagonal-solvers, 02-sharedMem;
// cudpp/cudpp, crpcr_kernel.cuh, leaves it once the distance has grown. Here one word in 32 is left out.
#include "../case.cuh"

namespace {

constexpr int kSystems = 1 << 16, kSize = 512, kThreads = kSize / 2;
constexpr std::size_t kWords = std::size_t{kSystems} * kSize;

template <bool kPadded>
struct Row {
  float words[kSize + (kPadded ? kSize / 32 : 0)];
  __device__ float& operator[](int i) { return words[kPadded ? i + i / 32 : i]; }  // fault
};

template <bool kPadded>
__device__ void solve(float* out, const float* below, const float* diagonal, const float* above,
                      const float* right) {
  __shared__ Row<kPadded> low, mid, high, value;
  const int thread = static_cast<int>(threadIdx.x);
  const std::size_t first = std::size_t{blockIdx.x} * kSize;
  for (int i = thread; i < kSize; i += kThreads) {
    low[i] = i > 0 ? -0.5F * below[first + i] : 0;
    mid[i] = 2 + diagonal[first + i];
    high[i] = i < kSize - 1 ? -0.5F * above[first + i] : 0;
    value[i] = right[first + i];
  }
  __syncthreads();
  for (int step = 1; step < kSize / 2; step *= 2) {
    const int i = 2 * step * (thread + 1) - 1;
    if (i < kSize) {
      const int left = i - step, next = i + step;
      const bool inside = next < kSize;
      const float from_left = low[i] / mid[left];                                    // fault
      const float from_next = inside ? high[i] / mid[next] : 0;                      // fault
      mid[i] -= high[left] * from_left + (inside ? low[next] * from_next : 0);       // fault
      value[i] -= value[left] * from_left + (inside ? value[next] * from_next : 0);  // fault
      low[i] = -low[left] * from_left;                                               // fault
      high[i] = inside ? -high[next] * from_next : 0;                                // fault
    }
    __syncthreads();
  }
  if (thread == 0) {
    constexpr int kOne = kSize / 2 - 1, kOther = kSize - 1;
    const float scale = 1 / (mid[kOne] * mid[kOther] - high[kOne] * low[kOther]);
    const float one = (value[kOne] * mid[kOther] - high[kOne] * value[kOther]) * scale;
    value[kOther] = (mid[kOne] * value[kOther] - value[kOne] * low[kOther]) * scale;
    value[kOne] = one;
  }
  __syncthreads();
  for (int step = kSize / 4; step > 0; step /= 2) {
    const int i = 2 * step * thread + step - 1;
    if (i < kSize) {
      const float left = i >= step ? low[i] * value[i - step] : 0;        // fault
      value[i] = (value[i] - left - high[i] * value[i + step]) / mid[i];  // fault
    }
    __syncthreads();
  }
  for (int i = thread; i < kSize; i += kThreads) out[first + i] = value[i];
}

__global__ void solve_plain(float* out, const float* below, const float* diagonal, const float* above,
                            const float* right) {
  solve<false>(out, below, diagonal, above, right);
}

__global__ void solve_padded(float* out, const float* below, const float* diagonal, const float* above,
                             const float* right) {
  solve<true>(out, below, diagonal, above, right);
}

Case make(bool plain) {
  auto* out = device_array<float>(kWords);
  auto* below = device_array<float>(kWords);
  auto* diagonal = device_array<float>(kWords);
  auto* above = device_array<float>(kWords);
  auto* right = device_array<float>(kWords);
  fill_fractions(below, kWords, 1);
  fill_fractions(diagonal, kWords, 2);
  fill_fractions(above, kWords, 3);
  fill_fractions(right, kWords, 4);
  return {[=] {
            if (plain) {
              solve_plain<<<kSystems, kThreads>>>(out, below, diagonal, above, right);
            } else {
              solve_padded<<<kSystems, kThreads>>>(out, below, diagonal, above, right);
            }
          },
          [=] { return device_sum(out, kWords); }, 1000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
