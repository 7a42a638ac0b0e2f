// The softmax of each row of a matrix, a warp a row, with the largest value and the sum found in one pass.
// Nothing is wrong: 16 bytes a lane in order; the second reading of a row finds it in a cache.
// The pattern is that of karpathy/llm.c, dev/cuda/softmax_forward.cu: its kernels with an online sum.
#include <cfloat>

#include "../case.cuh"

namespace {

constexpr int kRows = 65536, kFours = 256, kThreads = 256;

__global__ void softmax_of_rows(float4* out, const float4* in, int rows) {
  const int row = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / 32);
  const int lane = static_cast<int>(threadIdx.x % 32);
  if (row >= rows) return;
  const std::size_t first = static_cast<std::size_t>(row) * kFours;
  float largest = -FLT_MAX, sum = 0;
  for (int i = lane; i < kFours; i += 32) {
    const float4 v = in[first + i];
    const float larger = fmaxf(largest, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
    sum = sum * expf(largest - larger) + expf(v.x - larger) + expf(v.y - larger) + expf(v.z - larger) +
          expf(v.w - larger);
    largest = larger;
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    const float other = __shfl_xor_sync(0xffffffffU, largest, offset);
    const float others = __shfl_xor_sync(0xffffffffU, sum, offset), larger = fmaxf(largest, other);
    sum = sum * expf(largest - larger) + others * expf(other - larger);
    largest = larger;
  }
  const float scale = 1 / sum;
  for (int i = lane; i < kFours; i += 32) {
    const float4 v = in[first + i];
    out[first + i] = make_float4(expf(v.x - largest) * scale, expf(v.y - largest) * scale,
                                 expf(v.z - largest) * scale, expf(v.w - largest) * scale);
  }
}

Case make() {
  constexpr std::size_t kWords = static_cast<std::size_t>(kRows) * kFours * 4;
  auto* in = device_array<float>(kWords);
  auto* out = device_array<float>(kWords);
  fill_fractions(in, kWords, 1);
  return {[=] {
            softmax_of_rows<<<blocks_for(std::size_t{32} * kRows, kThreads), kThreads>>>(
                reinterpret_cast<float4*>(out), reinterpret_cast<const float4*>(in), kRows);
          },
          [=] { return device_sum(out, std::size_t{1} << 22); }, 1500};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
