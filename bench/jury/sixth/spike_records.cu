// Sixteen million neurons: three steps of their voltages a round, then the host adds up how many of each
// 32 have fired.
// At fault: the counts lie in managed memory, so that their pages move to the host when it reads them,
// and back when the next round writes them. The pattern is that of genn-team/genn, pull request 282, 20 %
// slower by managed memory, and of sonots/cumo, pull request 528, which copies to pinned memory instead.
#include <array>
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kNeurons = 16 << 20, kGroups = kNeurons / 32, kThreads = 256, kBlocks = kNeurons / kThreads;
constexpr int kSteps = 3, kSlots = 2, kRounds = 500;
constexpr std::size_t kBytes = kGroups * sizeof(unsigned);

__global__ void fill_voltages(float2* neurons) {
  const auto i = static_cast<unsigned>(blockIdx.x * blockDim.x + threadIdx.x);
  neurons[i] = make_float2(mixed_fraction(i), 0.2F * mixed_fraction(i + 7));
}

// A voltage and a recovery; whoever passes one fires and begins again.
__device__ bool moved(float2& neuron, float drive) {
  neuron.x += 0.2F * (drive - neuron.x * 0.5F - neuron.y);
  neuron.y += 0.05F * (0.3F * neuron.x - neuron.y);
  const bool fires = neuron.x > 1;
  if (fires) neuron = make_float2(0, neuron.y + 0.1F);
  return fires;
}

__global__ void move_neurons(float2* neurons, float drive) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  float2 neuron = neurons[i];
  moved(neuron, drive);
  neurons[i] = neuron;
}

__global__ void record_spikes(unsigned* counts, float2* neurons, float drive) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  float2 neuron = neurons[i];
  const unsigned fired = __ballot_sync(0xffffffffU, moved(neuron, drive));
  neurons[i] = neuron;
  if (threadIdx.x % 32 == 0) counts[i / 32] = static_cast<unsigned>(__popc(fired));  // fault
}

struct Slot {
  unsigned *counts, *on_host;
  cudaEvent_t written, copied;
};

cudaEvent_t made_event() {
  cudaEvent_t event = nullptr;
  CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  return event;
}

Slot made_slot(bool managed) {
  Slot slot{nullptr, nullptr, made_event(), made_event()};
  if (managed) {
    CHECK(cudaMallocManaged(&slot.counts, kBytes));  // fault
    slot.on_host = slot.counts;
  } else {
    slot.counts = device_array<unsigned>(kGroups);
    slot.on_host = pinned_array<unsigned>(kGroups);
  }
  return slot;
}

struct Progress {
  int number = 0;
  double fired = 0;
};

void add_up(const Slot& slot, bool managed, Progress& progress) {
  CHECK(cudaEventSynchronize(managed ? slot.written : slot.copied));
  std::uint64_t sum = 0;
  for (int i = 0; i < kGroups; ++i) sum += slot.on_host[i];  // fault
  progress.fired += static_cast<double>(sum);
}

Case make(bool managed) {
  auto* neurons = device_array<float2>(kNeurons);
  fill_voltages<<<kBlocks, kThreads>>>(neurons);
  const std::array<Slot, kSlots> slots{made_slot(managed), made_slot(managed)};
  cudaStream_t compute = nullptr, copy = nullptr;
  CHECK(cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&copy, cudaStreamNonBlocking));
  auto progress = std::make_shared<Progress>();
  return {[=] {
            const Slot& slot = slots[progress->number % kSlots];
            const float drive = 0.9F + 0.01F * static_cast<float>(progress->number % 16);
            for (int step = 1; step < kSteps; ++step)
              move_neurons<<<kBlocks, kThreads, 0, compute>>>(neurons, drive);
            CHECK(cudaStreamWaitEvent(compute, slot.copied));
            record_spikes<<<kBlocks, kThreads, 0, compute>>>(slot.counts, neurons, drive);
            CHECK(cudaEventRecord(slot.written, compute));
            if (!managed) {
              CHECK(cudaStreamWaitEvent(copy, slot.written));
              CHECK(cudaMemcpyAsync(slot.on_host, slot.counts, kBytes, cudaMemcpyDeviceToHost, copy));
              CHECK(cudaEventRecord(slot.copied, copy));
            }
            // The counts of the round before, beside the kernels of this one.
            if (progress->number > 0) add_up(slots[(progress->number - 1) % kSlots], managed, *progress);
            ++progress->number;
          },
          [=] {
            add_up(slots[(progress->number - 1) % kSlots], managed, *progress);
            return progress->fired;
          },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
