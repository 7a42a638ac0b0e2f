// The prefix sums of 64 million whole numbers.
// Nothing is wrong: the library reads and writes each number once.
// The pattern is that of NVIDIA/cccl, cub/examples/device/example_device_scan.cu.
#include <cub/device/device_scan.cuh>

#include "../case.cuh"

namespace {

Case make() {
  constexpr int kCount = 64 << 20;
  auto* in = device_array<int>(kCount);
  auto* out = device_array<int>(kCount);
  fill_below(in, kCount, 16, 1);
  std::size_t bytes = 0;
  CHECK(cub::DeviceScan::ExclusiveSum(nullptr, bytes, in, out, kCount));
  auto* storage = device_array<unsigned char>(bytes);
  return {[=] {
            std::size_t given = bytes;
            CHECK(cub::DeviceScan::ExclusiveSum(storage, given, in, out, kCount));
          },
          [=] { return device_sum(out, std::size_t{1} << 22); }, 1800};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
