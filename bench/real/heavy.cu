// Two kernels of some 2 and 15 ms on an H100, twenty launches of each and more of the small one.
// Planted: the long one reads its table with a stride (G01, `strided_sum`).
#include "steady.cuh"

namespace {

constexpr long kCount = 256L << 20;

__global__ void scale(const float4* in, float4* out, float by) {
  const long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  if (i >= kCount / 4) return;
  const float4 value = in[i];
  out[i] = {by * value.x, by * value.y, by * value.z, by * value.w};
}

__global__ void strided_sum(const float* in, float* out, int stride) {
  const long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < stride; ++k) sum += in[(i * stride + k) % kCount];  // planted
  out[i] = sum;
}

}  // namespace

int main(int argc, char** argv) {
  const long rounds = count_from(argc, argv, 20);
  float *in = nullptr, *out = nullptr;
  CHECK(cudaMalloc(&in, kCount * sizeof(float)));
  CHECK(cudaMalloc(&out, kCount * sizeof(float)));
  CHECK(cudaMemset(in, 0, kCount * sizeof(float)));
  steady(rounds, [&] {
    scale<<<blocks_for(kCount / 4, 256), 256>>>(reinterpret_cast<float4*>(in), reinterpret_cast<float4*>(out),
                                                2);
    strided_sum<<<blocks_for(kCount / 64, 256), 256>>>(in, out, 1024);
  });
  print_sum("sum", out, kCount / 64);
  return 0;
}
