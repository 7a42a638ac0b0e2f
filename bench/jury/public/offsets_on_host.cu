// Packs 262,144 records of 32 to 128 words: the length of each, the place of each, the words.
// At fault: the lengths go to the host, which adds them up and sends the places back. The pattern is that of
// rapidsai/cudf, whose pull request 2706 takes the scan of the lengths of a CSV file's rows to the device.
#include <cub/device/device_scan.cuh>

#include "../case.cuh"

namespace {

constexpr int kRecords = 1 << 18, kThreads = 256, kLongest = 128, kRounds = 800;
constexpr std::size_t kBytes = kRecords * sizeof(int);
constexpr std::size_t kRoom = static_cast<std::size_t>(kRecords) * kLongest;

__global__ void measure_records(int* lengths, const int* kinds) {
  const int record = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (record < kRecords) lengths[record] = 32 * (1 + kinds[record]);
}

// A warp takes a record.
__global__ void write_records(int* words, const int* places, const int* lengths) {
  const int record = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / 32);
  const int lane = static_cast<int>(threadIdx.x) % 32, place = places[record], length = lengths[record];
  for (int i = lane; i < length; i += 32) words[place + i] = record % 1000 + i;
}

struct Buffers {
  int *kinds, *lengths, *places, *words;
};

Buffers made_buffers() {
  const Buffers b{device_array<int>(kRecords), device_array<int>(kRecords), device_array<int>(kRecords),
                  device_array<int>(kRoom)};
  fill_below(b.kinds, kRecords, 4, 1);
  CHECK(cudaMemset(b.words, 0, kRoom * sizeof(int)));
  return b;
}

void write(const Buffers& b) {
  write_records<<<kRecords / (kThreads / 32), kThreads>>>(b.words, b.places, b.lengths);
}

Case on_host() {
  const Buffers b = made_buffers();
  auto* lengths = pinned_array<int>(kRecords);
  auto* places = pinned_array<int>(kRecords);
  return {[=] {
            measure_records<<<blocks_for(kRecords, kThreads), kThreads>>>(b.lengths, b.kinds);
            CHECK(cudaMemcpy(lengths, b.lengths, kBytes, cudaMemcpyDeviceToHost));  // fault
            int place = 0;
            for (int record = 0; record < kRecords; ++record) {
              places[record] = place;
              place += lengths[record];
            }
            CHECK(cudaMemcpy(b.places, places, kBytes, cudaMemcpyHostToDevice));  // fault
            write(b);
          },
          [=] { return device_sum(b.words, std::size_t{1} << 22); }, kRounds};
}

Case on_device() {
  const Buffers b = made_buffers();
  std::size_t bytes = 0;
  CHECK(cub::DeviceScan::ExclusiveSum(nullptr, bytes, b.lengths, b.places, kRecords));
  auto* storage = device_array<unsigned char>(bytes);
  return {[=] {
            measure_records<<<blocks_for(kRecords, kThreads), kThreads>>>(b.lengths, b.kinds);
            std::size_t given = bytes;
            CHECK(cub::DeviceScan::ExclusiveSum(storage, given, b.lengths, b.places, kRecords));
            write(b);
          },
          [=] { return device_sum(b.words, std::size_t{1} << 22); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, on_host, on_device);
}
