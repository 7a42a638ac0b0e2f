// Sketches of reads that arrive in ordinary memory of the host, two million a batch: each batch is
// sampled by the smallest of 48 hashes.
// At fault: each batch is pinned before its copy and released after it. The pattern is that of
// NVIDIA-Genomics-Research/GenomeWorks, pull request 481, where this costs more than pinned copies save,
// and of eunomia-bpf/bpftime, pull request 507, which pins the memory once.
#include <array>
#include <cstdlib>
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kSketches = 1 << 21, kHashes = 48, kThreads = 256, kRounds = 400, kBatches = 4, kSlots = 2;
constexpr std::size_t kBytes = kSketches * sizeof(uint2);

__global__ void __launch_bounds__(kThreads) sample_sketches(double* total, const uint2* sketches) {
  __shared__ float parts[kThreads / 32];
  const uint2 sketch = sketches[blockIdx.x * blockDim.x + threadIdx.x];
  unsigned lowest = 0xffffffffU;
#pragma unroll 8
  for (unsigned hash = 0; hash < kHashes; ++hash) lowest = min(lowest, mixed_bits(sketch.x + hash));
  float sum = lowest < 1U << 26 ? static_cast<float>(sketch.y % 1024) : 0;
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, far);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int warp = 1; warp < kThreads / 32; ++warp) sum += parts[warp];
  atomicAdd(total, static_cast<double>(sum));
}

struct Batch {
  uint2* sketches;
  cudaEvent_t copied;
};

// On the device.
struct Slot {
  uint2* sketches;
  cudaEvent_t ready, free;
};

cudaEvent_t made_event() {
  cudaEvent_t event = nullptr;
  CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  return event;
}

uint2 made_sketch(std::size_t i, unsigned number) {
  const unsigned bits = mixed_bits(static_cast<unsigned>(i) + number);
  return {bits, bits >> 7};
}

// Each batch is another one.
void change_batch(const Batch& batch, unsigned number) {
  CHECK(cudaEventSynchronize(batch.copied));
  for (std::size_t i = number % 4096; i < kSketches; i += 4096) batch.sketches[i] = made_sketch(i, number);
}

uint2* ordinary_memory() {
  auto* memory = static_cast<uint2*>(std::aligned_alloc(4096, kBytes));
  if (memory == nullptr) std::exit(9);
  return memory;
}

Case make(bool each_time) {
  std::array<Batch, kBatches> batches{};
  for (unsigned own = 0; own < kBatches; ++own) {
    batches[own] = {ordinary_memory(), made_event()};
    for (std::size_t i = 0; i < kSketches; ++i) batches[own].sketches[i] = made_sketch(i, own);
    if (!each_time) CHECK(cudaHostRegister(batches[own].sketches, kBytes, cudaHostRegisterDefault));
  }
  std::array<Slot, kSlots> slots{};
  for (Slot& slot : slots) slot = {device_array<uint2>(kSketches), made_event(), made_event()};
  cudaStream_t compute = nullptr, copy = nullptr;
  CHECK(cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&copy, cudaStreamNonBlocking));
  auto* total = device_array<double>(1);
  CHECK(cudaMemset(total, 0, sizeof(double)));
  auto number = std::make_shared<unsigned>(0);
  return {[=] {
            const Batch& batch = batches[*number % kBatches];
            const Slot& slot = slots[*number % kSlots];
            change_batch(batch, (*number)++);
            if (each_time) CHECK(cudaHostRegister(batch.sketches, kBytes, cudaHostRegisterDefault));  // fault
            CHECK(cudaStreamWaitEvent(copy, slot.free));
            CHECK(cudaMemcpyAsync(slot.sketches, batch.sketches, kBytes, cudaMemcpyHostToDevice, copy));
            CHECK(cudaEventRecord(batch.copied, copy));
            CHECK(cudaEventRecord(slot.ready, copy));
            CHECK(cudaStreamWaitEvent(compute, slot.ready));
            sample_sketches<<<kSketches / kThreads, kThreads, 0, compute>>>(total, slot.sketches);
            CHECK(cudaEventRecord(slot.free, compute));
            if (each_time) {
              CHECK(cudaStreamSynchronize(copy));         // fault
              CHECK(cudaHostUnregister(batch.sketches));  // fault
            }
          },
          [=] { return device_sum(total, 1); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
