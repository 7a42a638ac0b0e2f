// Combines a stream of 512 MB with a table of 32 MB, to which an L2 window gives precedence.
// At fault: the window asks for the whole table, of which only 16 MB were set aside, so that its lines drive
// each other out. The pattern is that of dotsimulate/StreamDiffusion, whose pull request 52 computes hitRatio
// from what fits.
#include "../case.cuh"

namespace {

constexpr std::size_t kTableWords = 8 << 20, kStreamWords = 128 << 20, kSetAside = 16 << 20;
constexpr int kThreads = 256, kBlocks = 2112;

__global__ void combine(float* stream, const float* table) {
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < kStreamWords;
       i += static_cast<std::size_t>(kBlocks) * kThreads) {
    stream[i] = 2 * table[i % kTableWords];  // fault
  }
}

__global__ void combine_what_fits(float* stream, const float* table) {
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < kStreamWords;
       i += static_cast<std::size_t>(kBlocks) * kThreads) {
    stream[i] = 2 * table[i % kTableWords];
  }
}

cudaStream_t stream_with_window(float* table, float hit_ratio) {
  CHECK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, kSetAside));
  CHECK(cudaCtxResetPersistingL2Cache());
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  cudaStreamAttrValue value{};
  value.accessPolicyWindow.base_ptr = table;
  value.accessPolicyWindow.num_bytes = kTableWords * sizeof(float);
  value.accessPolicyWindow.hitRatio = hit_ratio;
  value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
  CHECK(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value));  // fault
  return stream;
}

Case make(bool whole) {
  auto* table = device_array<float>(kTableWords);
  auto* values = device_array<float>(kStreamWords);
  fill_fractions(table, kTableWords, 1);
  CHECK(cudaDeviceSynchronize());
  constexpr float kFits = static_cast<float>(kSetAside) / static_cast<float>(kTableWords * sizeof(float));
  cudaStream_t stream = stream_with_window(table, whole ? 1.0F : kFits);  // fault
  return {[=] {
            auto* kernel = whole ? combine : combine_what_fits;
            kernel<<<kBlocks, kThreads, 0, stream>>>(values, table);  // fault
          },
          [=] { return device_sum(values, std::size_t{1} << 22); }, 1200};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
