// Counts 64 million values in 256 bins of equal width.
// Nothing is wrong: a call of the library. As NVIDIA/cccl, cub/cub/device/device_histogram.cuh, shows it.
#include <cub/device/device_histogram.cuh>

#include "../case.cuh"

namespace {

constexpr int kValues = 64 << 20, kBins = 256;

Case make() {
  auto* values = device_array<float>(kValues);
  auto* counts = device_array<int>(kBins);
  fill_fractions(values, kValues, 1);
  std::size_t bytes = 0;
  CHECK(cub::DeviceHistogram::HistogramEven(nullptr, bytes, values, counts, kBins + 1, 0.0F, 1.0F, kValues));
  auto* storage = device_array<unsigned char>(bytes);
  return {[=] {
            std::size_t given = bytes;
            CHECK(cub::DeviceHistogram::HistogramEven(storage, given, values, counts, kBins + 1, 0.0F, 1.0F,
                                                      kValues));
          },
          [=] { return device_sum(counts, kBins); }, 2500};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
