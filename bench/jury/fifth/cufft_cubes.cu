// A cube of 256 x 256 x 256 complex points, transformed forwards and back, and scaled.
// Nothing is wrong: the library transforms in place, and scaling reads 16 bytes a lane. The pattern is that
// of NVIDIA/CUDALibrarySamples, cuFFT/3d_c2c.
#include <cufft.h>

#include "../case.cuh"

namespace {

constexpr int kSide = 256, kThreads = 256;
constexpr std::size_t kPoints = std::size_t{kSide} * kSide * kSide, kFours = kPoints / 2;

void check_fft(cufftResult result) {
  if (result == CUFFT_SUCCESS) return;
  std::fprintf(stderr, "cuFFT: %d\n", static_cast<int>(result));
  std::exit(9);
}

__global__ void scale(float4* values) {
  constexpr float kScale = 1.0F / static_cast<float>(kPoints);
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const float4 four = values[i];
  values[i] = make_float4(four.x * kScale, four.y * kScale, four.z * kScale, four.w * kScale);
}

Case make() {
  auto* values = device_array<float>(2 * kPoints);
  fill_fractions(values, 2 * kPoints, 1);
  cufftHandle plan = 0;
  check_fft(cufftPlan3d(&plan, kSide, kSide, kSide, CUFFT_C2C));
  return {[=] {
            auto* points = reinterpret_cast<cufftComplex*>(values);
            check_fft(cufftExecC2C(plan, points, points, CUFFT_FORWARD));
            check_fft(cufftExecC2C(plan, points, points, CUFFT_INVERSE));
            scale<<<static_cast<unsigned>(kFours / kThreads), kThreads>>>(reinterpret_cast<float4*>(values));
          },
          [=] { return device_sum(values, 2 * kPoints); }, 800};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
