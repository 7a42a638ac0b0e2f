// Samples of a radio telescope, 64 channels of 65,536 a batch, which come in pinned memory of the host:
// each of eight dispersions adds up the channels with other delays.
// At fault: the kernel reads the samples through mapped memory, once for each dispersion, so that they cross
// the link up to eight times. The pattern is that of nlesc-recruit/cudawrappers, pull request 211, where
// mapped memory is simple and slow and explicit copies are the fastest.
#include <array>
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kSamples = 1 << 16, kChannels = 64, kDispersions = 8, kThreads = 256, kRounds = 280;
constexpr int kBatches = 4, kSlots = 2;
constexpr std::size_t kBatch = std::size_t{kChannels} * kSamples;

// A block takes samples of one dispersion; the batch goes round in time.
__device__ float summed(const float* samples, int time, int dispersion) {
  float sum = 0;
#pragma unroll 8
  for (int channel = 0; channel < kChannels; ++channel) {
    const int delay = channel * channel * (dispersion + 1) / 8;
    sum += samples[channel * kSamples + (time + delay) % kSamples];  // fault
  }
  return sum;
}

__global__ void disperse_mapped(float* series, const float* samples) {
  const int time = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int dispersion = static_cast<int>(blockIdx.y);
  series[dispersion * kSamples + time] += summed(samples, time, dispersion);  // fault
}

__global__ void disperse_copied(float* series, const float* samples) {
  const int time = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int dispersion = static_cast<int>(blockIdx.y);
  series[dispersion * kSamples + time] += summed(samples, time, dispersion);
}

struct Batch {
  float* samples;  // mapped, too
  cudaEvent_t done;
};

// On the device.
struct Slot {
  float* samples;
  cudaEvent_t ready, free;
};

cudaEvent_t made_event() {
  cudaEvent_t event = nullptr;
  CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  return event;
}

// Each batch is another one.
void change_batch(const Batch& batch, unsigned number) {
  CHECK(cudaEventSynchronize(batch.done));
  for (std::size_t i = number % 4096; i < kBatch; i += 4096) {
    batch.samples[i] = mixed_fraction(static_cast<unsigned>(i) + number);
  }
}

Case make(bool mapped) {
  std::array<Batch, kBatches> batches{};
  for (Batch& batch : batches) {
    batch = {pinned_array<float>(kBatch), made_event()};
    for (std::size_t i = 0; i < kBatch; ++i) batch.samples[i] = mixed_fraction(static_cast<unsigned>(i));
  }
  std::array<Slot, kSlots> slots{};
  for (Slot& slot : slots)
    slot = {mapped ? nullptr : device_array<float>(kBatch), made_event(), made_event()};
  cudaStream_t compute = nullptr, copy = nullptr;
  CHECK(cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&copy, cudaStreamNonBlocking));
  auto* series = device_array<float>(std::size_t{kDispersions} * kSamples);
  CHECK(cudaMemset(series, 0, sizeof(float) * kDispersions * kSamples));
  auto number = std::make_shared<unsigned>(0);
  return {[=] {
            const dim3 blocks(kSamples / kThreads, kDispersions);
            const Batch& batch = batches[*number % kBatches];
            const Slot& slot = slots[*number % kSlots];
            change_batch(batch, (*number)++);
            if (mapped) {
              disperse_mapped<<<blocks, kThreads, 0, compute>>>(series, batch.samples);  // fault
              CHECK(cudaEventRecord(batch.done, compute));
              return;
            }
            CHECK(cudaStreamWaitEvent(copy, slot.free));
            CHECK(cudaMemcpyAsync(slot.samples, batch.samples, kBatch * sizeof(float), cudaMemcpyHostToDevice,
                                  copy));
            CHECK(cudaEventRecord(batch.done, copy));
            CHECK(cudaEventRecord(slot.ready, copy));
            CHECK(cudaStreamWaitEvent(compute, slot.ready));
            disperse_copied<<<blocks, kThreads, 0, compute>>>(series, slot.samples);
            CHECK(cudaEventRecord(slot.free, compute));
          },
          [=] { return device_sum(series, std::size_t{kDispersions} * kSamples); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
