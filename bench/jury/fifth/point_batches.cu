// Points that arrive at the host in batches of 32 MB: each of 131,072 points of 64 values finds its centre
// among 512.
// At fault: one stream copies a batch and then looks for centres, so that copies and kernels take turns. The
// pattern is that of NVIDIA/cuvs, whose pull request 2538 copies the next batch of k-means to another buffer
// meanwhile.
#include <array>
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kPoints = 1 << 17, kValues = 64, kCentres = 512, kTile = 64, kThreads = 256, kRounds = 300;
constexpr int kBatches = 4;
constexpr std::size_t kWords = std::size_t{kPoints} * kValues, kBytes = kWords * sizeof(float);

// The points of a batch lie value by value; a centre is contiguous.
__global__ void __launch_bounds__(kThreads)
    find_centres(double* total, int* labels, const float* points, const float4* centres) {
  __shared__ float4 tile[kTile * kValues / 4];
  __shared__ float parts[kThreads / 32];
  const int point = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  float own[kValues];
#pragma unroll
  for (int k = 0; k < kValues; ++k) own[k] = points[k * kPoints + point];
  float low = 1e30F;
  int label = 0;
  for (int first = 0; first < kCentres; first += kTile) {
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < kTile * kValues / 4; i += kThreads)
      tile[i] = centres[first * kValues / 4 + i];
    __syncthreads();
    for (int centre = 0; centre < kTile; ++centre) {
      float distance = 0;
#pragma unroll
      for (int k = 0; k < kValues / 4; ++k) {
        const float4 four = tile[centre * (kValues / 4) + k];
        distance += (own[4 * k] - four.x) * (own[4 * k] - four.x);
        distance += (own[4 * k + 1] - four.y) * (own[4 * k + 1] - four.y);
        distance += (own[4 * k + 2] - four.z) * (own[4 * k + 2] - four.z);
        distance += (own[4 * k + 3] - four.w) * (own[4 * k + 3] - four.w);
      }
      if (distance < low) label = first + centre;
      low = fminf(low, distance);
    }
  }
  labels[point] = label;
  for (int far = 16; far > 0; far /= 2) low += __shfl_xor_sync(0xffffffffU, low, far);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = low;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int warp = 1; warp < kThreads / 32; ++warp) low += parts[warp];
  atomicAdd(total, static_cast<double>(low));
}

struct Batch {
  float* points;
  cudaEvent_t copied;
};

// On the device.
struct Buffer {
  float* points;
  cudaEvent_t ready, free;
};

cudaEvent_t made_event() {
  cudaEvent_t event = nullptr;
  CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  return event;
}

// Each batch is another one.
void change_batch(const Batch& batch, unsigned number) {
  CHECK(cudaEventSynchronize(batch.copied));
  for (std::size_t i = number % 16384; i < kWords; i += 16384)
    batch.points[i] = mixed_fraction(static_cast<unsigned>(i) + number);
}

Case make(bool in_turn) {
  std::array<Batch, kBatches> batches{};
  for (Batch& batch : batches) {
    batch = {pinned_array<float>(kWords), made_event()};
    const auto seed = static_cast<unsigned>(&batch - batches.data());
    for (std::size_t i = 0; i < kWords; ++i)
      batch.points[i] = mixed_fraction(static_cast<unsigned>(i) + seed);
  }
  std::array<Buffer, 2> buffers{};
  for (Buffer& buffer : buffers) buffer = {device_array<float>(kWords), made_event(), made_event()};
  cudaStream_t compute = nullptr, copy = nullptr;
  CHECK(cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&copy, cudaStreamNonBlocking));
  auto* centres = device_array<float>(std::size_t{kCentres} * kValues);
  auto* labels = device_array<int>(kPoints);
  auto* total = device_array<double>(1);
  fill_fractions(centres, std::size_t{kCentres} * kValues, 1U << 30);
  CHECK(cudaMemset(total, 0, sizeof(double)));
  auto number = std::make_shared<unsigned>(0);
  return {
      [=] {
        const Batch& batch = batches[*number % kBatches];
        const Buffer& buffer = in_turn ? buffers[0] : buffers[*number % buffers.size()];
        const cudaStream_t copies = in_turn ? compute : copy;
        change_batch(batch, (*number)++);
        CHECK(cudaStreamWaitEvent(copies, buffer.free));
        CHECK(cudaMemcpyAsync(buffer.points, batch.points, kBytes, cudaMemcpyHostToDevice, copies));  // fault
        CHECK(cudaEventRecord(batch.copied, copies));
        CHECK(cudaEventRecord(buffer.ready, copies));
        CHECK(cudaStreamWaitEvent(compute, buffer.ready));
        find_centres<<<kPoints / kThreads, kThreads, 0, compute>>>(  // fault
            total, labels, buffer.points, reinterpret_cast<const float4*>(centres));
        CHECK(cudaEventRecord(buffer.free, compute));
      },
      [=] { return device_sum(total, 1); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
