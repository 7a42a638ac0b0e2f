// Layer norm of rows of 1024 floats.
// Fault: a thread goes through a row, and rows are few. Repair: a block for each row.
#include "../case.cuh"

namespace {

constexpr unsigned kRows = 8192, kWidth = 1024, kThreads = 256;
constexpr float kEpsilon = 1e-5F;

__global__ void norm_by_threads(const float* in, float* out, unsigned rows) {
  const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* from = in + row * kWidth;
  float sum = 0, squares = 0;
  for (unsigned k = 0; k < kWidth; ++k) {
    const float value = from[k];  // fault
    sum += value;
    squares += value * value;
  }
  const float mean = sum / kWidth, scale = rsqrtf(squares / kWidth - mean * mean + kEpsilon);
  for (unsigned k = 0; k < kWidth; ++k) out[row * kWidth + k] = (from[k] - mean) * scale;  // fault
}

__device__ float sum_of_warp(float value) {
  for (unsigned other = 16; other > 0; other /= 2) value += __shfl_xor_sync(0xffffffffU, value, other);
  return value;
}

__global__ void norm_by_blocks(const float4* in, float4* out) {
  __shared__ float sums[kThreads / 32], squares[kThreads / 32];
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  const float4 v = in[i];
  const float sum = sum_of_warp(v.x + v.y + v.z + v.w);
  const float square = sum_of_warp(v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w);
  if (threadIdx.x % 32 == 0) {
    sums[threadIdx.x / 32] = sum;
    squares[threadIdx.x / 32] = square;
  }
  __syncthreads();
  float all = 0, all_squares = 0;
  for (unsigned k = 0; k < kThreads / 32; ++k) {
    all += sums[k];
    all_squares += squares[k];
  }
  const float mean = all / kWidth, scale = rsqrtf(all_squares / kWidth - mean * mean + kEpsilon);
  out[i] =
      make_float4((v.x - mean) * scale, (v.y - mean) * scale, (v.z - mean) * scale, (v.w - mean) * scale);
}
static_assert(kThreads * 4 == kWidth);

float* rows_of_values() {
  float* in = device_array<float>(kRows * kWidth);
  fill_fractions(in, kRows * kWidth, 10);
  return in;
}

// Of whole rows the sum is nearly zero.
double sum_of_some(const float* out) {
  return device_sum(out, 100);
}

Case fault() {
  const float* in = rows_of_values();
  float* out = device_array<float>(kRows * kWidth);
  return {[=] { norm_by_threads<<<blocks_for(kRows, 256), 256>>>(in, out, kRows); },
          [=] { return sum_of_some(out); }, 400};
}

Case clean() {
  const float4* in = reinterpret_cast<const float4*>(rows_of_values());
  float* out = device_array<float>(kRows * kWidth);
  return {[=] { norm_by_blocks<<<kRows, kThreads>>>(in, reinterpret_cast<float4*>(out)); },
          [=] { return sum_of_some(out); }, 400};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, fault, clean);
}
