// A sum of two vectors of 32 million doubles, one of them scaled.
// Nothing is wrong: each word is moved once. The pattern is that of llnl/RAJAPerf, src/stream/TRIAD-Cuda.cpp.
#include "../case.cuh"

namespace {

constexpr int kCount = 32 << 20, kThreads = 256;

__global__ void triad(double* a, const double* b, const double* c, double factor) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < kCount) a[i] = b[i] + factor * c[i];
}

Case make() {
  auto* a = device_array<double>(kCount);
  auto* b = device_array<double>(kCount);
  auto* c = device_array<double>(kCount);
  fill_fractions(b, kCount, 1);
  fill_fractions(c, kCount, 1U << 30);
  return {[=] { triad<<<blocks_for(kCount, kThreads), kThreads>>>(a, b, c, 0.62); },
          [=] { return device_sum(a, std::size_t{1} << 22); }, 1600};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
