// Sums of 65,536 segments of 1024 values.
// Nothing is wrong: a call of the library. As NVIDIA/cccl, cub/cub/device/device_segmented_reduce.cuh, shows
// it.
#include <cub/device/device_segmented_reduce.cuh>

#include "../case.cuh"

namespace {

constexpr int kSegments = 1 << 16, kLength = 1024;

__global__ void fill_bounds(int* bounds) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i <= kSegments) bounds[i] = i * kLength;
}

Case make() {
  constexpr std::size_t kAll = std::size_t{kSegments} * kLength;
  auto* values = device_array<float>(kAll);
  auto* sums = device_array<float>(kSegments);
  auto* bounds = device_array<int>(kSegments + 1);
  fill_fractions(values, kAll, 1);
  fill_bounds<<<blocks_for(kSegments + 1, 256), 256>>>(bounds);
  std::size_t bytes = 0;
  CHECK(cub::DeviceSegmentedReduce::Sum(nullptr, bytes, values, sums, kSegments, bounds, bounds + 1));
  auto* storage = device_array<unsigned char>(std::max<std::size_t>(bytes, 1));
  return {
      [=] {
        std::size_t given = bytes;
        CHECK(cub::DeviceSegmentedReduce::Sum(storage, given, values, sums, kSegments, bounds, bounds + 1));
      },
      [=] { return device_sum(sums, kSegments); }, 4000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
