// Layer normalisation of each row of a matrix.
// At fault: a thread normalises a whole row, so that the lanes of a warp read 32 rows, 3 KB apart, in few
// blocks. The pattern is that of karpathy/llm.c, dev/cuda/layernorm_forward.cu: kernel 1 and the later ones.
#include "../case.cuh"

namespace {

constexpr int kRows = 16384, kChannels = 768, kThreads = 256;
constexpr int kQuads = kChannels / 4 / 32;  // of a lane
constexpr float kEpsilon = 1e-5F;

__global__ void layernorm_by_thread(float* out, const float* in, const float* weight, const float* bias,
                                    int rows) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= rows) return;
  const float* x = in + static_cast<std::size_t>(row) * kChannels;
  float* y = out + static_cast<std::size_t>(row) * kChannels;
  float mean = 0;
  for (int i = 0; i < kChannels; ++i) mean += x[i];  // fault
  mean /= kChannels;
  float variance = 0;
  for (int i = 0; i < kChannels; ++i) variance += (x[i] - mean) * (x[i] - mean);  // fault
  const float scale = rsqrtf(variance / kChannels + kEpsilon);
  for (int i = 0; i < kChannels; ++i) y[i] = (x[i] - mean) * scale * weight[i] + bias[i];  // fault
}

__device__ float sum_of_warp(float value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffU, value, offset);
  return value;
}

// A warp holds its row in registers, four neighbouring channels at a time.
__global__ void layernorm_by_warp(float4* out, const float4* in, const float4* weight, const float4* bias,
                                  int rows) {
  const int row = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / 32);
  const int lane = static_cast<int>(threadIdx.x % 32);
  if (row >= rows) return;
  const std::size_t first = static_cast<std::size_t>(row) * (kChannels / 4) + lane;
  float4 x[kQuads];
  float mean = 0;
#pragma unroll
  for (int i = 0; i < kQuads; ++i) {
    x[i] = in[first + i * 32];
    mean += x[i].x + x[i].y + x[i].z + x[i].w;
  }
  mean = sum_of_warp(mean) / kChannels;
  float variance = 0;
#pragma unroll
  for (int i = 0; i < kQuads; ++i) {
    x[i] = make_float4(x[i].x - mean, x[i].y - mean, x[i].z - mean, x[i].w - mean);
    variance += x[i].x * x[i].x + x[i].y * x[i].y + x[i].z * x[i].z + x[i].w * x[i].w;
  }
  const float scale = rsqrtf(sum_of_warp(variance) / kChannels + kEpsilon);
#pragma unroll
  for (int i = 0; i < kQuads; ++i) {
    const float4 w = weight[lane + i * 32], b = bias[lane + i * 32];
    out[first + i * 32] = make_float4(x[i].x * scale * w.x + b.x, x[i].y * scale * w.y + b.y,
                                      x[i].z * scale * w.z + b.z, x[i].w * scale * w.w + b.w);
  }
}

Case make(bool by_thread) {
  const std::size_t words = static_cast<std::size_t>(kRows) * kChannels;
  float* in = device_array<float>(words);
  float* out = device_array<float>(words);
  float* weight = device_array<float>(kChannels);
  float* bias = device_array<float>(kChannels);
  fill_fractions(in, words, 1);
  fill_fractions(weight, kChannels, 2);
  fill_fractions(bias, kChannels, 3);
  return {[=] {
            if (by_thread) {
              layernorm_by_thread<<<blocks_for(kRows, kThreads), kThreads>>>(out, in, weight, bias, kRows);
            } else {
              layernorm_by_warp<<<blocks_for(kRows * 32, kThreads), kThreads>>>(
                  reinterpret_cast<float4*>(out), reinterpret_cast<const float4*>(in),
                  reinterpret_cast<const float4*>(weight), reinterpret_cast<const float4*>(bias), kRows);
            }
          },
          [=] { return device_sum(out + words / 2, 4096); }, 800};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
