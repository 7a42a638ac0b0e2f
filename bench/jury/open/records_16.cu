// Clean: moves particles whose position and mass, and whose velocity and charge, are structures of 16 bytes,
// read whole.
#include "../case.cuh"

namespace {

constexpr unsigned kCount = 10'000'000;
constexpr float kStep = 1e-4F;

struct __align__(16) Body {
  float x, y, z, other;
};

__global__ void drift(Body* places, const Body* velocities, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Body place = places[i];
  const Body velocity = velocities[i];
  place.x += kStep * velocity.x;
  place.y += kStep * velocity.y;
  place.z += kStep * velocity.z;
  place.other += kStep * velocity.other;
  places[i] = place;
}

Case clean() {
  float* places = device_array<float>(std::size_t{4} * kCount);
  float* velocities = device_array<float>(std::size_t{4} * kCount);
  fill_fractions(places, std::size_t{4} * kCount, 113);
  fill_fractions(velocities, std::size_t{4} * kCount, 114);
  return {[=] {
            drift<<<blocks_for(kCount, 256), 256>>>(reinterpret_cast<Body*>(places),
                                                    reinterpret_cast<const Body*>(velocities), kCount);
          },
          [=] { return device_sum(places, 1 << 20); }, 2000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, clean);
}
