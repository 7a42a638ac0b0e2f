// Survival curves of 131,072 patients at 256 times: hazards from scores, their running sums, and the chance
// to have survived until then.
// At fault: for the running sums a thread walks along a row of a tile in shared memory, and as rows have 32
// words all lanes meet at one bank. The pattern is that of tile-ai/TileOPs, whose pull request 1713 pads the
// rows of such tiles.
#include "../case.cuh"

namespace {

constexpr int kPatients = 1 << 17, kTimes = 256, kThreads = 128, kWarps = kThreads / 32, kWide = 32;
constexpr std::size_t kValues = std::size_t{kPatients} * kTimes;

__device__ float4 each(float4 v, float (*change)(float)) {
  return make_float4(change(v.x), change(v.y), change(v.z), change(v.w));
}

__global__ void hazards_of_scores(float4* hazards, const float4* scores) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  hazards[i] = each(scores[i], [](float score) { return 0.01F * __expf(score - 1); });
}

// For a block of kThreads threads, which takes as many rows, kWide columns at a time.
template <int kStride>
__device__ void cumulate(float* values) {
  __shared__ float tile[kThreads * kStride];
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  float* rows = values + std::size_t{blockIdx.x} * kThreads * kTimes + lane;
  float* own = tile + static_cast<int>(threadIdx.x) * kStride;
  float sum = 0;
  for (int first = 0; first < kTimes; first += kWide) {
#pragma unroll 8
    for (int row = warp; row < kThreads; row += kWarps)
      tile[row * kStride + lane] = rows[row * kTimes + first];
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < kWide; ++k) {
      sum += own[k];  // fault
      own[k] = sum;   // fault
    }
    __syncthreads();
#pragma unroll 8
    for (int row = warp; row < kThreads; row += kWarps)
      rows[row * kTimes + first] = tile[row * kStride + lane];
    __syncthreads();
  }
}

__global__ void cumulate_plain(float* values) {
  cumulate<kWide>(values);  // fault
}

__global__ void cumulate_padded(float* values) {
  cumulate<kWide + 1>(values);
}

__global__ void survival_of_sums(float4* survival, const float4* sums) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  survival[i] = each(sums[i], [](float sum) { return __expf(-sum); });
}

Case make(bool plain) {
  auto* scores = device_array<float>(kValues);
  auto* sums = device_array<float>(kValues);
  auto* survival = device_array<float>(kValues);
  fill_fractions(scores, kValues, 1);
  return {[=] {
            constexpr unsigned kBlocks = static_cast<unsigned>(kValues / 4 / 256);
            hazards_of_scores<<<kBlocks, 256>>>(reinterpret_cast<float4*>(sums),
                                                reinterpret_cast<const float4*>(scores));
            if (plain) {
              cumulate_plain<<<kPatients / kThreads, kThreads>>>(sums);
            } else {
              cumulate_padded<<<kPatients / kThreads, kThreads>>>(sums);
            }
            survival_of_sums<<<kBlocks, 256>>>(reinterpret_cast<float4*>(survival),
                                               reinterpret_cast<const float4*>(sums));
          },
          [=] { return device_sum(survival, kValues); }, 1000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
