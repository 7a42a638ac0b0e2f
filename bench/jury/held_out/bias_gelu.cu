// Adds a bias to 16,384 rows of 4096 halves and applies GELU.
// Nothing is wrong: a thread takes 16 bytes. The pattern is that of NVIDIA/FasterTransformer,
// src/fastertransformer/kernels/activation_kernels.cu.
#include <cuda_fp16.h>

#include "../case.cuh"

namespace {

constexpr int kRows = 16384, kColumns = 4096, kThreads = 256, kVector = 8;
constexpr int kVectors = kRows * (kColumns / kVector);

__device__ float gelu(float x) {
  return 0.5F * x * (1 + tanhf(0.7978846F * (x + 0.044715F * x * x * x)));
}

__device__ unsigned gelu_of_sum(unsigned value, unsigned bias) {
  const float2 x = __half22float2(*reinterpret_cast<const __half2*>(&value));
  const float2 b = __half22float2(*reinterpret_cast<const __half2*>(&bias));
  const __half2 out = __floats2half2_rn(gelu(x.x + b.x), gelu(x.y + b.y));
  return *reinterpret_cast<const unsigned*>(&out);
}

__global__ void add_bias_gelu(uint4* out, const uint4* values, const uint4* bias) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const uint4 x = values[i], b = bias[i % (kColumns / kVector)];
  out[i] =
      make_uint4(gelu_of_sum(x.x, b.x), gelu_of_sum(x.y, b.y), gelu_of_sum(x.z, b.z), gelu_of_sum(x.w, b.w));
}

__global__ void fill_halves(__half2* values) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  values[i] = __floats2half2_rn(mixed_fraction(i), mixed_fraction(i + (1U << 30)));
}

double sum_of_halves(const __half* values) {
  constexpr int kCount = 1 << 22;
  auto* host = pinned_array<__half>(kCount);
  CHECK(cudaMemcpy(host, values, kCount * sizeof(__half), cudaMemcpyDeviceToHost));
  double sum = 0;
  for (int i = 0; i < kCount; ++i) sum += static_cast<double>(__half2float(host[i]));
  CHECK(cudaFreeHost(host));
  return sum;
}

Case make() {
  auto* values = device_array<uint4>(kVectors);
  auto* out = device_array<uint4>(kVectors);
  auto* bias = device_array<uint4>(kColumns / kVector);
  fill_halves<<<kVectors * 4 / 256, 256>>>(reinterpret_cast<__half2*>(values));
  CHECK(cudaMemset(bias, 0, kColumns * sizeof(__half)));
  return {[=] { add_bias_gelu<<<kVectors / kThreads, kThreads>>>(out, values, bias); },
          [=] { return sum_of_halves(reinterpret_cast<const __half*>(out)); }, 4000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
