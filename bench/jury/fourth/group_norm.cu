// A residual sum, then a norm over 32 groups of channels and an activation, for one image of 128 channels
// of 512 x 512.
// At fault: a block takes a group, so that 32 blocks do all. The pattern is that of
// vllm-project/vllm-omni, whose pull request 6662 splits a group over blocks.
#include "../case.cuh"

namespace {

constexpr int kGroups = 32, kChannel = 512 * 512, kGroup = 4 * kChannel, kThreads = 512, kParts = 64;
constexpr int kPart = kGroup / kParts;
constexpr std::size_t kValues = std::size_t{kGroups} * kGroup;

__global__ void add_residual(float4* out, const float4* a, const float4* b) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const float4 x = a[i], y = b[i];
  out[i] = {x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w};
}

// For all threads of the block.
__device__ float2 add_up_block(float2 sums) {
  __shared__ float2 of_warps[kThreads / 32];
  const unsigned lane = threadIdx.x % 32;
  for (int step = 16; step > 0; step /= 2) {
    sums.x += __shfl_xor_sync(0xffffffffU, sums.x, step);
    sums.y += __shfl_xor_sync(0xffffffffU, sums.y, step);
  }
  if (lane == 0) of_warps[threadIdx.x / 32] = sums;
  __syncthreads();
  sums = of_warps[lane % (kThreads / 32)];
  for (int step = kThreads / 64; step > 0; step /= 2) {
    sums.x += __shfl_xor_sync(0xffffffffU, sums.x, step);
    sums.y += __shfl_xor_sync(0xffffffffU, sums.y, step);
  }
  return sums;
}

__device__ float2 sums_of(const float* in, int count) {
  float2 sums{};
#pragma unroll 4
  for (int i = static_cast<int>(threadIdx.x); i < count; i += kThreads) {  // fault
    const float value = in[i];                                             // fault
    sums.x += value;
    sums.y += value * value;
  }
  return add_up_block(sums);
}

// `scale` and `shift` are those of the first channel of the group.
__device__ void normalise(float* out, const float* in, int begin, int end, float2 sums, const float* scale,
                          const float* shift) {
  const float mean = sums.x / kGroup, deviation = rsqrtf(sums.y / kGroup - mean * mean + 1e-5F);
#pragma unroll 4
  for (int i = begin + static_cast<int>(threadIdx.x); i < end; i += kThreads) {  // fault
    const int channel = i / kChannel;
    const float value = (in[i] - mean) * deviation * scale[channel] + shift[channel];  // fault
    out[i] = value / (1 + __expf(-value));                                             // fault
  }
}

__global__ void norm_by_group(float* out, const float* in, const float* scale, const float* shift) {
  const std::size_t first = std::size_t{blockIdx.x} * kGroup;
  const float2 sums = sums_of(in + first, kGroup);                             // fault
  normalise(out + first, in + first, 0, kGroup, sums, scale + 4 * blockIdx.x,  // fault
            shift + 4 * blockIdx.x);                                           // fault
}

__global__ void sums_by_part(float2* parts, const float* in) {
  const float2 sums = sums_of(in + std::size_t{blockIdx.y} * kGroup + std::size_t{blockIdx.x} * kPart, kPart);
  if (threadIdx.x == 0) parts[blockIdx.y * kParts + blockIdx.x] = sums;
}

__global__ void norm_by_part(float* out, const float* in, const float2* parts, const float* scale,
                             const float* shift) {
  const std::size_t first = std::size_t{blockIdx.y} * kGroup;
  const float2 sums =
      add_up_block(threadIdx.x < kParts ? parts[blockIdx.y * kParts + threadIdx.x] : float2{});
  const int begin = static_cast<int>(blockIdx.x) * kPart;
  normalise(out + first, in + first, begin, begin + kPart, sums, scale + 4 * blockIdx.y,
            shift + 4 * blockIdx.y);
}

Case make(bool by_group) {
  auto* a = device_array<float>(kValues);
  auto* b = device_array<float>(kValues);
  auto* both = device_array<float>(kValues);
  auto* out = device_array<float>(kValues);
  auto* scale = device_array<float>(4 * kGroups);
  auto* shift = device_array<float>(4 * kGroups);
  auto* parts = device_array<float2>(kGroups * kParts);
  fill_fractions(a, kValues, 1);
  fill_fractions(b, kValues, 2);
  fill_fractions(scale, 4 * kGroups, 3);
  fill_fractions(shift, 4 * kGroups, 4);
  return {[=] {
            add_residual<<<kValues / 4 / kThreads, kThreads>>>(reinterpret_cast<float4*>(both),
                                                               reinterpret_cast<const float4*>(a),
                                                               reinterpret_cast<const float4*>(b));
            if (by_group) {
              norm_by_group<<<kGroups, kThreads>>>(out, both, scale, shift);  // fault
            } else {
              sums_by_part<<<dim3(kParts, kGroups), kThreads>>>(parts, both);
              norm_by_part<<<dim3(kParts, kGroups), kThreads>>>(out, both, parts, scale, shift);
            }
          },
          [=] { return device_sum(out, kValues); }, 1000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
