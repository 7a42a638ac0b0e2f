// Clean: reduction, running sum and sort of 16 million keys by CUB.
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

#include "../case.cuh"

namespace {

constexpr int kCount = 1 << 24;

Case clean() {
  unsigned* keys = device_array<unsigned>(kCount);
  unsigned* sorted = device_array<unsigned>(kCount);
  unsigned* running = device_array<unsigned>(kCount);
  unsigned* sum = device_array<unsigned>(1);
  fill_below(keys, kCount, 1U << 20, 107);
  std::size_t for_sort = 0, for_scan = 0, for_sum = 0;
  CHECK(cub::DeviceRadixSort::SortKeys(nullptr, for_sort, keys, sorted, kCount, 0, 20));
  CHECK(cub::DeviceScan::InclusiveSum(nullptr, for_scan, sorted, running, kCount));
  CHECK(cub::DeviceReduce::Sum(nullptr, for_sum, running, sum, kCount));
  std::size_t bytes = std::max({for_sort, for_scan, for_sum});
  char* space = device_array<char>(bytes);
  return {[=]() mutable {
            CHECK(cub::DeviceRadixSort::SortKeys(space, bytes, keys, sorted, kCount, 0, 20));
            CHECK(cub::DeviceScan::InclusiveSum(space, bytes, sorted, running, kCount));
            CHECK(cub::DeviceReduce::Sum(space, bytes, running, sum, kCount));
          },
          [=] { return device_sum(sum, 1); }, 600};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, clean);
}
