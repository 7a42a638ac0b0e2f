// Roughness of an image of 8192 x 4096 values, with scratch memory that each round takes and gives back.
// Nothing is wrong: the memory comes from the device's pool, in the order of the stream, and the pool keeps
// what is given back. The pattern is that of NVIDIA/cuda-samples,
// Samples/2_Concepts_and_Techniques/streamOrderedAllocation, with a release threshold.
#include <cstdint>

#include "../case.cuh"

namespace {

constexpr int kAcross = 8192, kDown = 4096, kThreads = 256, kFours = kAcross / 4;
constexpr std::size_t kPixels = std::size_t{kAcross} * kDown, kBytes = kPixels * sizeof(float);

__device__ float4 plus(float4 a, float4 b, float factor) {
  return make_float4(a.x + factor * b.x, a.y + factor * b.y, a.z + factor * b.z, a.w + factor * b.w);
}

// Rows beyond the image are those at its edge.
__global__ void smooth_down(float4* out, const float4* image) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), y = static_cast<int>(blockIdx.y);
  const int above = max(y - 1, 0), below = min(y + 1, kDown - 1);
  const float4 sum = plus(image[above * kFours + x], image[below * kFours + x], 1);
  out[y * kFours + x] = plus(sum, image[y * kFours + x], 2);
}

__global__ void square_rest(float4* out, const float4* image, const float4* smooth) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const float4 rest = plus(image[i], smooth[i], -0.25F);
  out[i] = make_float4(rest.x * rest.x, rest.y * rest.y, rest.z * rest.z, rest.w * rest.w);
}

__global__ void add_rows(float* rows, const float4* values) {
  __shared__ float parts[kThreads / 32];
  const float4* row = values + std::size_t{blockIdx.x} * kFours;
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kFours; i += kThreads) {
    const float4 four = row[i + static_cast<int>(threadIdx.x)];
    sum += four.x + four.y + four.z + four.w;
  }
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, far);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int warp = 1; warp < kThreads / 32; ++warp) sum += parts[warp];
  rows[blockIdx.x] = sum;
}

float4* taken(cudaStream_t stream) {
  void* memory = nullptr;
  CHECK(cudaMallocAsync(&memory, kBytes, stream));
  return static_cast<float4*>(memory);
}

Case make() {
  cudaMemPool_t pool = nullptr;
  CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
  std::uint64_t kept = UINT64_MAX;
  CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept));
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  auto* image = device_array<float>(kPixels);
  auto* rows = device_array<float>(kDown);
  fill_fractions(image, kPixels, 1);
  return {[=] {
            const auto* values = reinterpret_cast<const float4*>(image);
            float4 *smooth = taken(stream), *squares = taken(stream);
            smooth_down<<<dim3(kFours / kThreads, kDown), kThreads, 0, stream>>>(smooth, values);
            square_rest<<<static_cast<unsigned>(kPixels / 4 / kThreads), kThreads, 0, stream>>>(
                squares, values, smooth);
            CHECK(cudaFreeAsync(smooth, stream));
            add_rows<<<kDown, kThreads, 0, stream>>>(rows, squares);
            CHECK(cudaFreeAsync(squares, stream));
          },
          [=] { return device_sum(rows, kDown); }, 1200};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
