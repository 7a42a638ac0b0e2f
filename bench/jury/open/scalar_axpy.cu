// Clean: y = a x + y, where a was computed on the device: each warp loads the one value, beside 16 bytes a
// lane.
#include "../case.cuh"

namespace {

constexpr unsigned kCount = 1U << 26;

__global__ void add_scaled(const float* a, const float4* x, float4* y, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float scale = a[0];
  const float4 v = x[i];
  float4 sum = y[i];
  sum.x += scale * v.x;
  sum.y += scale * v.y;
  sum.z += scale * v.z;
  sum.w += scale * v.w;
  y[i] = sum;
}

Case clean() {
  float* a = device_array<float>(1);
  float* x = device_array<float>(kCount);
  float* y = device_array<float>(kCount);
  fill_fractions(a, 1, 119);
  fill_fractions(x, kCount, 120);
  fill_fractions(y, kCount, 121);
  return {[=] {
            add_scaled<<<blocks_for(kCount / 4, 256), 256>>>(a, reinterpret_cast<const float4*>(x),
                                                             reinterpret_cast<float4*>(y), kCount / 4);
          },
          [=] { return device_sum(y, 1 << 20); }, 1400};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, clean);
}
