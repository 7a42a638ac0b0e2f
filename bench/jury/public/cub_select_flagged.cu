// Keeps those of 67 million numbers that are below a limit.
// Nothing is wrong: the library reads each number once, and writes those that stay side by side. The pattern
// is that of NVIDIA/cccl, cub/examples/device/example_device_select_if.cu.
#include <cub/device/device_select.cuh>

#include "../case.cuh"

namespace {

struct Below {
  int limit;
  __host__ __device__ bool operator()(int value) const { return value < limit; }
};

Case make() {
  constexpr int kCount = 64 << 20;
  auto* in = device_array<int>(kCount);
  auto* out = device_array<int>(kCount);
  auto* kept = device_array<int>(1);
  fill_below(in, kCount, 1000, 1);
  const Below below{400};
  std::size_t bytes = 0;
  CHECK(cub::DeviceSelect::If(nullptr, bytes, in, out, kept, kCount, below));
  auto* storage = device_array<unsigned char>(bytes);
  return {[=] {
            std::size_t given = bytes;
            CHECK(cub::DeviceSelect::If(storage, given, in, out, kept, kCount, below));
          },
          [=] { return device_sum(out, std::size_t{1} << 22); }, 2400};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
