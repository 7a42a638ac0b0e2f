// Heat on a plate of 3072 x 3072 in managed memory, 75 MB in all.
// Nothing is wrong: the pages go to the device once, ahead of the steps, and the host reads them at the end
// only. The pattern is that of xnd-project/cuda-benchmarks, whose pull request 3 adds prefetching to its
// managed memory.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kSide = 3072;
constexpr std::size_t kWords = std::size_t{kSide} * kSide;

__global__ void spread(float* next, const float* now) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const int at = y * kSide + x;
  const float own = now[at];
  const float left = x > 0 ? now[at - 1] : own, right = x < kSide - 1 ? now[at + 1] : own;
  const float above = y > 0 ? now[at - kSide] : own, below = y < kSide - 1 ? now[at + kSide] : own;
  next[at] = own + 0.2F * (left + right + above + below - 4 * own);
}

float* managed_plate() {
  float* plate = nullptr;
  CHECK(cudaMallocManaged(&plate, kWords * sizeof(float)));
  for (std::size_t i = 0; i < kWords; ++i) plate[i] = mixed_fraction(static_cast<unsigned>(i));
  cudaMemLocation device{};
  device.type = cudaMemLocationTypeDevice;
  device.id = 0;
  CHECK(cudaMemPrefetchAsync(plate, kWords * sizeof(float), device, 0, nullptr));
  return plate;
}

Case make() {
  float* plates[] = {managed_plate(), managed_plate()};
  const auto step = std::make_shared<int>(0);
  return {[=] {
            const int number = (*step)++;
            spread<<<dim3(kSide / 32, kSide / 8), dim3(32, 8)>>>(plates[(number + 1) % 2],
                                                                 plates[number % 2]);
          },
          [=] { return device_sum(plates[*step % 2], kWords); }, 4000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
