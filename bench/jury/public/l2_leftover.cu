// Sweeps over 22 MB again and again, after another kernel worked on a table with an L2 window.
// At fault: the lines of the table are never given back, so that the sweeps have the rest of L2 only. The
// pattern is that of dotsimulate/StreamDiffusion, whose pull request 52 adds the missing
// cudaCtxResetPersistingL2Cache.
#include "../case.cuh"

namespace {

constexpr std::size_t kSweptWords = (22 << 20) / 4, kTableWords = (30 << 20) / 4;
constexpr int kThreads = 256, kBlocks = 1056, kSweeps = 8;

__global__ void warm_table(float* table) {
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < kTableWords;
       i += static_cast<std::size_t>(kBlocks) * kThreads) {
    table[i] += 1;
  }
}

// A block begins each sweep elsewhere, so that its words come from L2.
__global__ void sweep(float* sums, const float4* swept) {
  constexpr int kQuads = static_cast<int>(kSweptWords / 4), kStep = kBlocks * kThreads;
  const int thread = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  float sum = 0;
  for (int number = 0; number < kSweeps; ++number) {
    for (int i = thread; i < kQuads; i += kStep) {
      const float4 four = swept[(i + number * 7 * kThreads) % kQuads];  // fault
      sum += four.x + four.y + four.z + four.w;
    }
  }
  sums[thread] = sum;
}

void set_window(cudaStream_t stream, float* table, std::size_t bytes) {
  cudaStreamAttrValue value{};
  value.accessPolicyWindow.base_ptr = table;
  value.accessPolicyWindow.num_bytes = bytes;
  value.accessPolicyWindow.hitRatio = 1.0F;
  value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
  CHECK(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value));
}

Case make(bool given_back) {
  auto* table = device_array<float>(kTableWords);
  auto* swept = device_array<float>(kSweptWords);
  auto* sums = device_array<float>(std::size_t{kBlocks} * kThreads);
  CHECK(cudaMemset(table, 0, kTableWords * sizeof(float)));
  fill_fractions(swept, kSweptWords, 1);
  CHECK(cudaDeviceSynchronize());
  cudaDeviceProp properties{};
  CHECK(cudaGetDeviceProperties(&properties, 0));
  CHECK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, properties.persistingL2CacheMaxSize));
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  set_window(stream, table, kTableWords * sizeof(float));                                       // fault
  for (int round = 0; round < 4; ++round) warm_table<<<kBlocks, kThreads, 0, stream>>>(table);  // fault
  CHECK(cudaStreamSynchronize(stream));
  set_window(stream, table, 0);  // fault
  if (given_back) CHECK(cudaCtxResetPersistingL2Cache());
  return {[=] {
            sweep<<<kBlocks, kThreads, 0, stream>>>(sums, reinterpret_cast<const float4*>(swept));  // fault
          },
          [=] { return device_sum(sums, std::size_t{kBlocks} * kThreads); }, 6000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(false); }, [] { return make(true); });
}
