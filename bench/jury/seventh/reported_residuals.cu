// Smooths a potential of 8192 x 4096 values, two steps a round, and tells the host how much it still changes.
// Nothing is wrong: the last block of a step writes one word to mapped memory, and the host reads the word of
// the round before, while the next one runs. The pattern is that of sums in AMReX-Codes/amrex,
// Src/Base/AMReX_Reduce.H, which a kernel writes to pinned memory.
#include <array>
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kAcross = 8192, kDown = 4096, kThreads = 256, kFours = kAcross / 4, kRounds = 800;
constexpr int kBlocksAcross = kFours / kThreads, kBlocks = kBlocksAcross * kDown;
constexpr std::size_t kValues = std::size_t{kAcross} * kDown;

// Of the block; the sum is the first thread's.
__device__ float summed(float value) {
  __shared__ float parts[kThreads / 32];
  for (int far = 16; far > 0; far /= 2) value += __shfl_xor_sync(0xffffffffU, value, far);
  __syncthreads();
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  float sum = 0;
  for (const float part : parts) sum += part;
  return sum;
}

// A thread takes four values of a row; the field goes round.
__device__ float smooth_four(float4* out, const float4* in) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), y = static_cast<int>(blockIdx.y);
  const float4* row = in + y * kFours;
  const float4 here = row[x], above = in[(y + kDown - 1) % kDown * kFours + x];
  const float4 below = in[(y + 1) % kDown * kFours + x];
  const float before = row[(x + kFours - 1) % kFours].w, after = row[(x + 1) % kFours].x;
  const float4 mean = make_float4(
      0.25F * (before + here.y + above.x + below.x), 0.25F * (here.x + here.z + above.y + below.y),
      0.25F * (here.y + here.w + above.z + below.z), 0.25F * (here.z + after + above.w + below.w));
  out[y * kFours + x] = mean;
  return fabsf(mean.x - here.x) + fabsf(mean.y - here.y) + fabsf(mean.z - here.z) + fabsf(mean.w - here.w);
}

__global__ void __launch_bounds__(kThreads) smooth(float4* out, const float4* in) {
  smooth_four(out, in);
}

__global__ void __launch_bounds__(kThreads) smooth_and_sum(float4* out, const float4* in, float* sums) {
  const float sum = summed(smooth_four(out, in));
  if (threadIdx.x == 0) sums[blockIdx.y * kBlocksAcross + blockIdx.x] = sum;
}

// The last block to end adds up what each has added up.
__global__ void __launch_bounds__(kThreads)
    report(float* change, const float* sums, double* total, unsigned* ended) {
  __shared__ bool last;
  const float sum = summed(sums[blockIdx.x * kThreads + threadIdx.x]);
  if (threadIdx.x == 0) {
    atomicAdd(total, static_cast<double>(sum));
    __threadfence();
    last = atomicAdd(ended, 1U) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last || threadIdx.x != 0) return;
  *change = static_cast<float>(*static_cast<volatile double*>(total) / kValues);
  *total = 0;
  *ended = 0;
}

struct Word {
  float* change;  // on the host
  cudaEvent_t written;
};

Case make() {
  auto* field = device_array<float>(kValues);
  auto* other = device_array<float>(kValues);
  auto* sums = device_array<float>(kBlocks);
  auto* total = device_array<double>(1);
  auto* ended = device_array<unsigned>(1);
  CHECK(cudaMemset(total, 0, sizeof(double)));
  CHECK(cudaMemset(ended, 0, sizeof(unsigned)));
  fill_fractions(field, kValues, 1);
  std::array<Word, 2> words{};
  for (Word& word : words) {
    word.change = pinned_array<float>(1);
    *word.change = 0;
    CHECK(cudaEventCreateWithFlags(&word.written, cudaEventDisableTiming));
  }
  auto number = std::make_shared<unsigned>(0);
  auto told = std::make_shared<double>(0);
  return {[=] {
            const dim3 blocks(kBlocksAcross, kDown);
            auto *one = reinterpret_cast<float4*>(field), *two = reinterpret_cast<float4*>(other);
            const Word &own = words[*number % 2], &before = words[(*number + 1) % 2];
            smooth<<<blocks, kThreads>>>(two, one);
            smooth_and_sum<<<blocks, kThreads>>>(one, two, sums);
            report<<<kBlocks / kThreads, kThreads>>>(own.change, sums, total, ended);
            CHECK(cudaEventRecord(own.written));
            CHECK(cudaEventSynchronize(before.written));
            *told += *before.change;
            ++*number;
          },
          [=] { return device_sum(field, kValues) + *told; }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
