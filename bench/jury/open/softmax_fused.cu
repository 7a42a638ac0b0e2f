// Clean: the softmax of rows of 4096 floats, each held in the registers of a block.
#include "../case.cuh"

namespace {

constexpr unsigned kRows = 8192, kWidth = 4096, kThreads = 256, kEach = kWidth / 4 / kThreads;

struct Largest {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct Sum {
  __device__ float operator()(float a, float b) const { return a + b; }
};

// Of all threads of the block, for all of them.
template <class Join>
__device__ float of_block(float value, Join join) {
  __shared__ float parts[kThreads / 32];
  for (unsigned other = 16; other > 0; other /= 2)
    value = join(value, __shfl_xor_sync(0xffffffffU, value, other));
  __syncthreads();
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  float all = parts[0];
  for (unsigned k = 1; k < kThreads / 32; ++k) all = join(all, parts[k]);
  return all;
}

__global__ void softmax(const float4* in, float4* out) {
  const unsigned first = blockIdx.x * (kWidth / 4) + threadIdx.x;
  float4 v[kEach];
  float largest = -INFINITY, sum = 0;
#pragma unroll
  for (unsigned k = 0; k < kEach; ++k) {
    v[k] = in[first + k * kThreads];
    largest = fmaxf(largest, fmaxf(fmaxf(v[k].x, v[k].y), fmaxf(v[k].z, v[k].w)));
  }
  largest = of_block(largest, Largest{});
#pragma unroll
  for (unsigned k = 0; k < kEach; ++k) {
    v[k] = make_float4(__expf(v[k].x - largest), __expf(v[k].y - largest), __expf(v[k].z - largest),
                       __expf(v[k].w - largest));
    sum += v[k].x + v[k].y + v[k].z + v[k].w;
  }
  const float scale = 1 / of_block(sum, Sum{});
#pragma unroll
  for (unsigned k = 0; k < kEach; ++k)
    out[first + k * kThreads] = make_float4(v[k].x * scale, v[k].y * scale, v[k].z * scale, v[k].w * scale);
}

Case clean() {
  constexpr std::size_t count = std::size_t{kRows} * kWidth;
  float* in = device_array<float>(count);
  float* out = device_array<float>(count);
  fill_fractions(in, count, 112);
  return {[=] {
            softmax<<<kRows, kThreads>>>(reinterpret_cast<const float4*>(in), reinterpret_cast<float4*>(out));
          },
          [=] { return device_sum(out, 1 << 20); }, 2400};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, clean);
}
