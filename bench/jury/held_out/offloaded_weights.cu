// A matrix of 4096 x 4096 weights times a vector, for each token.
// At fault: the weights lie in the host's memory and the kernel reads them over the bus each time. The
// pattern is that of vllm-project/vllm, whose pull request 29941 copies offloaded weights to the device
// before they are used; here they stay there.
#include "../case.cuh"

namespace {

constexpr int kSize = 4096, kThreads = 256, kWarps = kThreads / 32, kQuads = kSize / 4;
constexpr std::size_t kWeights = std::size_t{kSize} * kSize;

__device__ float dot(const float4& a, const float4& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

__device__ void multiply_row(float* out, const float4* weights, const float4* vector) {
  const int row = static_cast<int>(blockIdx.x * kWarps + threadIdx.x / 32),
            lane = static_cast<int>(threadIdx.x % 32);
  float sum = 0;
#pragma unroll 8
  for (int i = lane; i < kQuads; i += 32) sum += dot(weights[row * kQuads + i], vector[i]);  // fault
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, step);
  if (lane == 0) out[row] = sum;
}

__global__ void multiply_offloaded(float* out, const float4* weights, const float4* vector) {
  multiply_row(out, weights, vector);
}

__global__ void multiply_resident(float* out, const float4* weights, const float4* vector) {
  multiply_row(out, weights, vector);
}

Case make(bool offloaded) {
  auto* weights = device_array<float>(kWeights);
  auto* vector = device_array<float>(kSize);
  auto* out = device_array<float>(kSize);
  fill_fractions(weights, kWeights, 1);
  fill_fractions(vector, kSize, 2);
  const auto* used = reinterpret_cast<const float4*>(weights);
  if (offloaded) {
    auto* host = pinned_array<float>(kWeights);
    CHECK(cudaMemcpy(host, weights, kWeights * sizeof(float), cudaMemcpyDeviceToHost));
    float* mapped = nullptr;
    CHECK(cudaHostGetDevicePointer(&mapped, host, 0));
    used = reinterpret_cast<const float4*>(mapped);
  }
  const auto* factors = reinterpret_cast<const float4*>(vector);
  return {[=] {
            if (offloaded) {
              multiply_offloaded<<<kSize / kWarps, kThreads>>>(out, used, factors);
            } else {
              multiply_resident<<<kSize / kWarps, kThreads>>>(out, used, factors);
            }
          },
          [=] { return device_sum(out, kSize); }, 500};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
