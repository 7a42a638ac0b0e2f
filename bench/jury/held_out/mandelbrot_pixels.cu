// Iterations of the Mandelbrot set for an image of 4096 x 4096 pixels.
// Nothing is wrong: a thread computes a pixel and stores one word. The pattern is that of
// NVIDIA/cuda-samples, Samples/5_Domain_Specific/Mandelbrot.
#include "../case.cuh"

namespace {

constexpr int kSize = 4096, kLimit = 256;

__global__ void count_iterations(unsigned* counts) {
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const float x = 3.0F * static_cast<float>(column) / kSize - 2.25F;
  const float y = 3.0F * static_cast<float>(row) / kSize - 1.5F;
  float real = x, imaginary = y;
  unsigned count = 0;
  while (count < kLimit && real * real + imaginary * imaginary < 4) {
    const float next = real * real - imaginary * imaginary + x;
    imaginary = 2 * real * imaginary + y;
    real = next;
    ++count;
  }
  counts[row * kSize + column] = count;
}

Case make() {
  auto* counts = device_array<unsigned>(std::size_t{kSize} * kSize);
  return {[=] { count_iterations<<<dim3(kSize / 32, kSize / 8), dim3(32, 8)>>>(counts); },
          [=] { return device_sum(counts, std::size_t{1} << 22); }, 1000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
