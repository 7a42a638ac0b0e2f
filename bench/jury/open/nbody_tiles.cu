// Clean: forces of all bodies on each other. A block brings the bodies tile by tile to shared memory, where
// all lanes read the same one.
#include "../case.cuh"

namespace {

constexpr unsigned kBodies = 32768, kBlock = 128;
constexpr float kSoftening = 1e-3F;

__global__ void accelerate(const float4* bodies, float4* forces) {
  __shared__ float4 tile[kBlock];
  const unsigned i = blockIdx.x * kBlock + threadIdx.x;
  const float4 me = bodies[i];
  float x = 0, y = 0, z = 0;
  for (unsigned first = 0; first < kBodies; first += kBlock) {
    tile[threadIdx.x] = bodies[first + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (unsigned k = 0; k < kBlock; ++k) {
      const float4 other = tile[k];
      const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
      const float near = rsqrtf(dx * dx + dy * dy + dz * dz + kSoftening);
      const float pull = other.w * near * near * near;
      x += dx * pull;
      y += dy * pull;
      z += dz * pull;
    }
    __syncthreads();
  }
  forces[i] = make_float4(x, y, z, 0);
}
static_assert(kBodies % kBlock == 0);

Case clean() {
  float* bodies = device_array<float>(4 * kBodies);
  float* forces = device_array<float>(4 * kBodies);
  fill_fractions(bodies, 4 * kBodies, 111);
  return {[=] {
            accelerate<<<kBodies / kBlock, kBlock>>>(reinterpret_cast<const float4*>(bodies),
                                                     reinterpret_cast<float4*>(forces));
          },
          [=] { return device_sum(forces, 400); }, 200};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, clean);
}
