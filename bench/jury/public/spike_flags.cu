// Steps 4 million neurons; the host counts those that fire in each step.
// At fault: the flags lie in managed memory, so that reading them brings their pages to the host, and the
// next step's kernel faults for them again. The pattern is that of genn-team/genn, as pull request 282
// describes it; the repair is a copy of the flags to pinned memory.
#include <array>
#include <bit>
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kNeurons = 4 << 20, kThreads = 256, kFlagWords = kNeurons / 32, kRounds = 200;
constexpr std::size_t kFlagBytes = kFlagWords * sizeof(unsigned);

__device__ bool step_fires(float* potential, const float* current, int i) {
  const float stepped = 0.9F * potential[i] + current[i];
  const bool fires = stepped > 5;
  potential[i] = fires ? 0 : stepped;
  return fires;
}

__global__ void step_managed(unsigned* flags, float* potential, const float* current) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const unsigned fired = __ballot_sync(0xffffffffU, step_fires(potential, current, i));
  if (i % 32 == 0) flags[i / 32] = fired;  // fault
}

__global__ void step_resident(unsigned* flags, float* potential, const float* current) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const unsigned fired = __ballot_sync(0xffffffffU, step_fires(potential, current, i));
  if (i % 32 == 0) flags[i / 32] = fired;
}

double fired_of(const unsigned* flags) {
  int count = 0;
  for (int i = 0; i < kFlagWords; ++i) count += std::popcount(flags[i]);
  return count;
}

struct Neurons {
  float *potential, *current;
};

Neurons made_neurons() {
  const Neurons neurons{device_array<float>(kNeurons), device_array<float>(kNeurons)};
  fill_fractions(neurons.potential, kNeurons, 1);
  fill_fractions(neurons.current, kNeurons, 2);
  return neurons;
}

Case managed() {
  const Neurons n = made_neurons();
  unsigned* flags = nullptr;
  CHECK(cudaMallocManaged(&flags, kFlagBytes));  // fault
  const auto total = std::make_shared<double>(0);
  return {[=] {
            step_managed<<<kNeurons / kThreads, kThreads>>>(flags, n.potential, n.current);
            CHECK(cudaDeviceSynchronize());
            *total += fired_of(flags);  // fault
          },
          [=] { return *total; }, kRounds};
}

// The host counts the flags of one step while the GPU makes those of the next.
struct Download {
  unsigned *device, *host;
  cudaEvent_t done;
};

Case copied() {
  const Neurons n = made_neurons();
  std::array<Download, 2> downloads{};
  for (Download& each : downloads) {
    each.device = device_array<unsigned>(kFlagWords);
    each.host = pinned_array<unsigned>(kFlagWords);
    std::fill(each.host, each.host + kFlagWords, 0U);
    CHECK(cudaEventCreateWithFlags(&each.done, cudaEventDisableTiming));
  }
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaDeviceSynchronize());
  const auto total = std::make_shared<double>(0);
  const auto number = std::make_shared<std::size_t>(0);
  return {[=] {
            const Download& now = downloads[*number % 2];
            const Download& before = downloads[(*number + 1) % 2];
            ++*number;
            step_resident<<<kNeurons / kThreads, kThreads, 0, stream>>>(now.device, n.potential, n.current);
            CHECK(cudaMemcpyAsync(now.host, now.device, kFlagBytes, cudaMemcpyDeviceToHost, stream));
            CHECK(cudaEventRecord(now.done, stream));
            CHECK(cudaEventSynchronize(before.done));
            *total += fired_of(before.host);
          },
          [=] { return *total + fired_of(downloads[(*number + 1) % 2].host); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, managed, copied);
}
