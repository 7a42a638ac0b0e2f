// Filters 16,384 signals of 2048 complex points: forwards, a product with the filter, and back.
// Nothing is wrong: the library's transforms are batched and contiguous, and the product reads 16 bytes a
// lane. The pattern is that of NVIDIA/cuda-samples, Samples/4_CUDA_Libraries/simpleCUFFT, in batches.
#include <cufft.h>

#include "../case.cuh"

namespace {

constexpr int kPoints = 2048, kSignals = 16384, kThreads = 256;

void check_fft(cufftResult result) {
  if (result == CUFFT_SUCCESS) return;
  std::fprintf(stderr, "cuFFT: %d\n", static_cast<int>(result));
  std::exit(9);
}

// Two complex points a thread.
__global__ void multiply_by_filter(float4* signals, const float4* filter, std::size_t pairs) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= pairs) return;
  const float4 s = signals[i], f = filter[i % (kPoints / 2)];
  constexpr float kScale = 1.0F / kPoints;
  signals[i] = make_float4((s.x * f.x - s.y * f.y) * kScale, (s.x * f.y + s.y * f.x) * kScale,
                           (s.z * f.z - s.w * f.w) * kScale, (s.z * f.w + s.w * f.z) * kScale);
}

Case make() {
  constexpr std::size_t kWords = std::size_t{2} * kPoints * kSignals;
  auto* in = device_array<float>(kWords);
  auto* work = device_array<float>(kWords);
  auto* filter = device_array<float>(2 * kPoints);
  fill_fractions(in, kWords, 1);
  fill_fractions(filter, 2 * kPoints, 2);
  cufftHandle plan = 0;
  check_fft(cufftPlan1d(&plan, kPoints, CUFFT_C2C, kSignals));
  return {[=] {
            auto* points = reinterpret_cast<cufftComplex*>(work);
            check_fft(cufftExecC2C(plan, reinterpret_cast<cufftComplex*>(in), points, CUFFT_FORWARD));
            multiply_by_filter<<<blocks_for(kWords / 4, kThreads), kThreads>>>(
                reinterpret_cast<float4*>(work), reinterpret_cast<const float4*>(filter), kWords / 4);
            check_fft(cufftExecC2C(plan, points, points, CUFFT_INVERSE));
          },
          [=] { return device_sum(work, std::size_t{1} << 20); }, 800};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
