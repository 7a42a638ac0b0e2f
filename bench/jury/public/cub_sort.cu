// Sorts 16 million pairs of a key and a value.
// Nothing is wrong: the library's passes are the expert's own.
// The pattern is that of NVIDIA/cccl, cub/examples/device/example_device_radix_sort.cu.
#include <cub/device/device_radix_sort.cuh>

#include "../case.cuh"

namespace {

Case make() {
  constexpr int kCount = 16 << 20;
  auto* keys = device_array<unsigned>(kCount);
  auto* values = device_array<unsigned>(kCount);
  auto* sorted_keys = device_array<unsigned>(kCount);
  auto* sorted_values = device_array<unsigned>(kCount);
  fill_below(keys, kCount, 0xffffffffU, 1);
  fill_below(values, kCount, 1000, 2);
  std::size_t bytes = 0;
  CHECK(cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, sorted_keys, values, sorted_values, kCount));
  auto* storage = device_array<unsigned char>(bytes);
  return {[=] {
            std::size_t given = bytes;
            CHECK(cub::DeviceRadixSort::SortPairs(storage, given, keys, sorted_keys, values, sorted_values,
                                                  kCount));
          },
          [=] { return device_sum(sorted_keys, 1 << 16) + device_sum(sorted_values, 1 << 20); }, 500};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
