// Lets two million points of a geological fault slip: at six times within a step, friction that weakens with
// the slip limits the shear stress that the waves would bring, and the rest becomes motion. One kernel does
// all of it, and what a point needs stays in registers. The waves of eight steps are on record. The pattern
// is that of SeisSol/SeisSol, pull request 1271: kernels of the friction joined to one. Nothing is at fault.
#include <array>

#include "../case.cuh"

namespace {

constexpr int kPoints = 1 << 21, kTimes = 6, kThreads = 256, kSteps = 8, kRounds = 1300;

// An array for each quantity; those of the waves have a row a time.
struct Waves {
  float *normal, *along, *across;
};

struct Rocks {
  float *stiffness, *still, *moving, *distance, *cohesion, *load;
};

struct State {
  float *slip, *friction, *fastest, *along, *across;
};

// Done once.
__global__ void __launch_bounds__(kThreads)
    record_waves(Waves waves, const float* __restrict__ rest, float time) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  const float own = rest[i];
#pragma unroll
  for (int at = 0; at < kTimes; ++at) {
    const float phase = time + 0.05F * static_cast<float>(at) + 6 * own;
    waves.normal[at * kPoints + i] = -1 + 0.2F * __sinf(phase);
    waves.along[at * kPoints + i] = 0.5F + 0.4F * __cosf(0.7F * phase);
    waves.across[at * kPoints + i] = 0.2F * __sinf(1.3F * phase);
  }
}

__global__ void __launch_bounds__(kThreads) slip(State state, Waves waves, Rocks rocks, float step) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  const float stiffness = 0.5F + rocks.stiffness[i], still = 0.5F + 0.2F * rocks.still[i];
  const float drop = still - 0.3F * rocks.moving[i], distance = 0.2F + rocks.distance[i];
  const float cohesion = 0.1F * rocks.cohesion[i], load = 0.3F * rocks.load[i];
  float moved = state.slip[i], friction = state.friction[i], fastest = 0.99F * state.fastest[i];
  float all_along = 0, all_across = 0;
#pragma unroll
  for (int at = 0; at < kTimes; ++at) {
    const float normal = fminf(waves.normal[at * kPoints + i], 0);
    const float along = waves.along[at * kPoints + i] + load, across = waves.across[at * kPoints + i];
    const float stress = sqrtf(along * along + across * across), strength = cohesion - friction * normal;
    const float rate = fmaxf(stress - strength, 0) / stiffness;
    const float kept = stress > 0 ? fminf(stress, strength) / stress : 0;
    moved += rate * step;
    friction = still - drop * fminf(moved / distance, 1);
    fastest = fmaxf(fastest, rate);
    all_along += kept * along;
    all_across += kept * across;
  }
  state.slip[i] = 0.999F * moved;
  state.friction[i] = friction;
  state.fastest[i] = fastest;
  state.along[i] = all_along / kTimes;
  state.across[i] = all_across / kTimes;
}

float* made_array(unsigned seed) {
  auto* values = device_array<float>(kPoints);
  fill_fractions(values, kPoints, seed);
  return values;
}

std::array<Waves, kSteps> made_waves() {
  const std::size_t all = std::size_t{kTimes} * kPoints;
  float* rest = made_array(12);
  std::array<Waves, kSteps> record{};
  for (int step = 0; step < kSteps; ++step) {
    record[step] = {device_array<float>(all), device_array<float>(all), device_array<float>(all)};
    record_waves<<<kPoints / kThreads, kThreads>>>(record[step], rest, 0.4F * static_cast<float>(step));
    CHECK(cudaGetLastError());
  }
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(rest));
  return record;
}

Case make() {
  const std::array<Waves, kSteps> record = made_waves();
  const Rocks rocks{made_array(1), made_array(2), made_array(3), made_array(4), made_array(5), made_array(6)};
  const State state{made_array(7), made_array(8), made_array(9), made_array(10), made_array(11)};
  return {[=] {
            for (const Waves& waves : record) {
              slip<<<kPoints / kThreads, kThreads>>>(state, waves, rocks, 0.001F);
            }
          },
          [=] { return device_sum(state.slip, kPoints) + device_sum(state.along, kPoints); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, nullptr, [] { return make(); });
}
