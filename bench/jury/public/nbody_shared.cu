// The forces among 65,536 bodies, all on all; a block shares the bodies that it meets next.
// Nothing is wrong: each body is read once a block, 16 bytes a lane, and the arithmetic is what takes the
// time. The pattern is that of NVIDIA/cuda-samples, Samples/5_Domain_Specific/nbody.
#include "../case.cuh"

namespace {

constexpr int kBodies = 65536, kThreads = 256;
constexpr float kSoftening = 1e-3F;

__global__ void forces_by_tiles(float4* forces, const float4* bodies, int count) {
  __shared__ float4 tile[kThreads];
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const float4 own = bodies[i];
  float x = 0, y = 0, z = 0;
  for (int first = 0; first < count; first += kThreads) {
    tile[threadIdx.x] = bodies[first + static_cast<int>(threadIdx.x)];
    __syncthreads();
#pragma unroll 16
    for (int j = 0; j < kThreads; ++j) {
      const float4 other = tile[j];
      const float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
      const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + kSoftening);
      const float strength = other.w * inverse * inverse * inverse;
      x += dx * strength, y += dy * strength, z += dz * strength;
    }
    __syncthreads();
  }
  forces[i] = make_float4(x, y, z, 0);
}

Case make() {
  static_assert(kBodies % kThreads == 0);
  auto* bodies = device_array<float4>(kBodies);
  auto* forces = device_array<float4>(kBodies);
  fill_fractions(reinterpret_cast<float*>(bodies), std::size_t{4} * kBodies, 1);
  return {[=] { forces_by_tiles<<<kBodies / kThreads, kThreads>>>(forces, bodies, kBodies); },
          [=] {
            auto* parts = reinterpret_cast<float*>(forces);
            return device_sum(parts, 4 * 1000);
          },
          120};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
