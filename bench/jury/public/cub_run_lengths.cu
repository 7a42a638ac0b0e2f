// Counts the runs of equal letters among 67 million.
// Nothing is wrong: the library goes through the letters in order. What is computed is that of NVIDIA/cccl,
// thrust/examples/run_length_encoding.cu.
#include <cub/device/device_run_length_encode.cuh>

#include "../case.cuh"

namespace {

constexpr int kCount = 64 << 20, kThreads = 256;

// Runs of 1 to 32 equal words.
__global__ void fill_runs(int* words) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= kCount) return;
  const unsigned run = i / 32, cut = mixed_bits(run) % 32;
  words[i] = static_cast<int>(mixed_bits(2 * run + (i % 32 < cut ? 0 : 1)) % 26);
}

Case make() {
  auto* words = device_array<int>(kCount);
  auto* letters = device_array<int>(kCount);
  auto* lengths = device_array<int>(kCount);
  auto* runs = device_array<int>(1);
  fill_runs<<<blocks_for(kCount, kThreads), kThreads>>>(words);
  CHECK(cudaMemset(lengths, 0, kCount * sizeof(int)));
  std::size_t bytes = 0;
  CHECK(cub::DeviceRunLengthEncode::Encode(nullptr, bytes, words, letters, lengths, runs, kCount));
  auto* storage = device_array<unsigned char>(bytes);
  return {[=] {
            std::size_t given = bytes;
            CHECK(cub::DeviceRunLengthEncode::Encode(storage, given, words, letters, lengths, runs, kCount));
          },
          [=] { return device_sum(lengths, std::size_t{1} << 20); }, 2000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
