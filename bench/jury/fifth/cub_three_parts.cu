// Parts 64 million numbers into small, medium and large ones.
// Nothing is wrong: a call of the library. As NVIDIA/cccl, cub/cub/device/device_partition.cuh, shows it.
#include <cub/device/device_partition.cuh>

#include "../case.cuh"

namespace {

constexpr int kNumbers = 64 << 20, kLimit = 1000;

struct Below {
  int limit;
  __host__ __device__ bool operator()(int number) const { return number < limit; }
};

Case make() {
  auto* numbers = device_array<int>(kNumbers);
  auto* small = device_array<int>(kNumbers);
  auto* medium = device_array<int>(kNumbers);
  auto* large = device_array<int>(kNumbers);
  auto* counts = device_array<int>(2);
  fill_below(numbers, kNumbers, kLimit, 1);
  constexpr Below kSmall{250}, kMedium{600};
  std::size_t bytes = 0;
  CHECK(cub::DevicePartition::If(nullptr, bytes, numbers, small, medium, large, counts, kNumbers, kSmall,
                                 kMedium));
  auto* storage = device_array<unsigned char>(bytes);
  return {[=] {
            std::size_t given = bytes;
            CHECK(cub::DevicePartition::If(storage, given, numbers, small, medium, large, counts, kNumbers,
                                           kSmall, kMedium));
          },
          [=] { return device_sum(counts, 2); }, 1000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
