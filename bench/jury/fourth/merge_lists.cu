// Merges two sorted lists of 64 million numbers.
// Nothing is wrong: a call of the library. As NVIDIA/cccl, cub/cub/device/device_merge.cuh, shows it.
#include <cub/device/device_merge.cuh>

#include "../case.cuh"

namespace {

constexpr int kNumbers = 64 << 20, kThreads = 256;

__global__ void fill_sorted(int* out, unsigned seed) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  out[i] = 16 * i + static_cast<int>(mixed_bits(static_cast<unsigned>(i) + seed) % 16);
}

Case make() {
  auto* first = device_array<int>(kNumbers);
  auto* second = device_array<int>(kNumbers);
  auto* merged = device_array<int>(std::size_t{2} * kNumbers);
  fill_sorted<<<kNumbers / kThreads, kThreads>>>(first, 1);
  fill_sorted<<<kNumbers / kThreads, kThreads>>>(second, 2);
  std::size_t bytes = 0;
  CHECK(cub::DeviceMerge::MergeKeys(nullptr, bytes, first, kNumbers, second, kNumbers, merged));
  auto* storage = device_array<unsigned char>(bytes);
  return {[=] {
            std::size_t given = bytes;
            CHECK(cub::DeviceMerge::MergeKeys(storage, given, first, kNumbers, second, kNumbers, merged));
          },
          [=] { return device_sum(merged, kNumbers); }, 1500};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
