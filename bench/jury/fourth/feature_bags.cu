// Brings the bags of 64 sparse features into another order: their lengths, where they start, and about 19
// million values in 4 million bags of 0 to 9.
// At fault: a warp copies a bag, so that most of its lanes have nothing to do. The pattern is that of
// pytorch/FBGEMM, pull request 6303; here eight lanes copy a bag.
#include <cub/device/device_scan.cuh>

#include "../case.cuh"

namespace {

constexpr int kFeatures = 64, kSamples = 1 << 16, kBags = kFeatures * kSamples, kThreads = 256;

// The bag that comes to this place.
__device__ int bag_before(int bag) {
  return (bag / kSamples * 37 + 5) % kFeatures * kSamples + bag % kSamples;
}

__global__ void order_lengths(int* out, const int* in) {
  const int bag = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  out[bag] = in[bag_before(bag)];
}

struct Bags {
  float* values;
  int *lengths, *starts;
};

__global__ void copy_by_warp(Bags out, Bags in) {
  const int bag = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / 32), from = bag_before(bag);
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int length = in.lengths[from], source = in.starts[from], target = out.starts[bag];  // fault
  for (int k = lane; k < length; k += 32) out.values[target + k] = in.values[source + k];   // fault
}

__global__ void copy_by_eight(Bags out, Bags in) {
  const int bag = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / 8), from = bag_before(bag);
  const int lane = static_cast<int>(threadIdx.x % 8);
  const int length = in.lengths[from], source = in.starts[from], target = out.starts[bag];
  for (int k = lane; k < length; k += 8) out.values[target + k] = in.values[source + k];
}

struct Storage {
  unsigned char* memory;
  std::size_t bytes;
};

Storage storage_for_scan() {
  Storage storage{};
  CHECK(cub::DeviceScan::ExclusiveSum(nullptr, storage.bytes, static_cast<int*>(nullptr),
                                      static_cast<int*>(nullptr), kBags));
  storage.memory = device_array<unsigned char>(storage.bytes);
  return storage;
}

void find_starts(const Storage& storage, const Bags& bags) {
  std::size_t bytes = storage.bytes;
  CHECK(cub::DeviceScan::ExclusiveSum(storage.memory, bytes, bags.lengths, bags.starts, kBags));
}

Case make(bool by_warp) {
  Bags in{}, out{};
  for (Bags* bags : {&in, &out}) {
    bags->lengths = device_array<int>(kBags);
    bags->starts = device_array<int>(kBags);
  }
  const Storage storage = storage_for_scan();
  fill_below(in.lengths, kBags, 10, 1);
  find_starts(storage, in);
  int length = 0, start = 0;
  CHECK(cudaMemcpy(&length, in.lengths + kBags - 1, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(&start, in.starts + kBags - 1, sizeof(int), cudaMemcpyDeviceToHost));
  const auto values = static_cast<std::size_t>(start) + static_cast<std::size_t>(length);
  in.values = device_array<float>(values);
  out.values = device_array<float>(values);
  fill_fractions(in.values, values, 2);
  return {[=] {
            order_lengths<<<kBags / kThreads, kThreads>>>(out.lengths, in.lengths);
            find_starts(storage, out);
            if (by_warp) {
              copy_by_warp<<<kBags / (kThreads / 32), kThreads>>>(out, in);
            } else {
              copy_by_eight<<<kBags / (kThreads / 8), kThreads>>>(out, in);
            }
          },
          [=] { return device_sum(out.values, values); }, 1000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
