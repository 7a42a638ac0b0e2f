// Follows how green 67 million places of farmland are: a round brings a satellite's scene, by which the
// greenness, its trend and its spread are updated at each place that no cloud hides. Every 16th round the
// greenness is kept in one of four maps, as the season's record.
// Nothing is at fault. The states are updated where they lie, so what is kept has to be copied; those
// 268 MB in 16 rounds are some 2 % of the traffic. The pattern is that of
// tensorflow/probability, pull request 981 (moments of a stream), and NVIDIA/DALI, pull request 5148
// (states of generators kept by copies that stay on the device).
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kPlaces = 1 << 26, kFours = kPlaces / 4, kScenes = 8, kKept = 4, kEvery = 16;
constexpr int kThreads = 256, kRounds = 13000, kField = 128;
constexpr float kWeight = 0.15F, kTrendWeight = 0.03F, kFading = 0.95F, kHidden = -1;

struct States {
  float4 *greens, *trends, *spreads;
};

// What is far from what was expected counts less, and what is hidden not at all.
__device__ void follow(float& green, float& trend, float& spread, float seen) {
  const float expected = green + trend;
  const float error = seen >= 0 ? seen - expected : 0;
  const float far = error * error, trust = __fdividef(spread, spread + 0.1F * far + 1e-6F);
  green = fminf(fmaxf(expected + kWeight * trust * error, 0), 1);
  trend = kFading * trend + kTrendWeight * trust * error;
  spread += seen >= 0 ? kTrendWeight * (far - spread) : 0;
}

// A thread has four places.
__global__ void __launch_bounds__(kThreads) take_scene(States states, const float4* __restrict__ scene) {
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const float4 seen = scene[i];
  float4 green = states.greens[i], trend = states.trends[i], spread = states.spreads[i];
  follow(green.x, trend.x, spread.x, seen.x);
  follow(green.y, trend.y, spread.y, seen.y);
  follow(green.z, trend.z, spread.z, seen.z);
  follow(green.w, trend.w, spread.w, seen.w);
  states.greens[i] = green;
  states.trends[i] = trend;
  states.spreads[i] = spread;
}

// Fields of 128 places turn green at times of their own; clouds hide every fifth 32 of them.
__global__ void __launch_bounds__(kThreads) make_scene(float* scene, unsigned number) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  const float time = mixed_fraction(i / kField) + static_cast<float>(number) / kScenes;
  const float green = 0.45F + 0.35F * sinpif(2 * time) + 0.1F * mixed_fraction(i + number * 0x9e3779b9U);
  scene[i] = mixed_bits(i / 32 + number * 0x1000000U) % 5 == 0 ? kHidden : green;
}

__global__ void __launch_bounds__(kThreads) begin(States states) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  states.greens[i] = make_float4(0.5F, 0.5F, 0.5F, 0.5F);
  states.trends[i] = make_float4(0, 0, 0, 0);
  states.spreads[i] = make_float4(0.05F, 0.05F, 0.05F, 0.05F);
}

Case make() {
  auto* scenes = device_array<float>(std::size_t{kScenes} * kPlaces);
  for (unsigned scene = 0; scene < kScenes; ++scene)
    make_scene<<<kPlaces / kThreads, kThreads>>>(scenes + std::size_t{scene} * kPlaces, scene);
  const auto fours = [] { return device_array<float4>(kFours); };
  const States states{fours(), fours(), fours()};
  begin<<<kFours / kThreads, kThreads>>>(states);
  CHECK(cudaGetLastError());
  auto* kept = device_array<float4>(std::size_t{kKept} * kFours);
  CHECK(cudaMemset(kept, 0, kKept * sizeof(float4) * kFours));
  auto round = std::make_shared<int>(0);
  return {[=] {
            const int number = (*round)++;
            const auto* scene = reinterpret_cast<const float4*>(scenes);
            take_scene<<<kFours / kThreads, kThreads>>>(states,
                                                        scene + std::size_t(number % kScenes) * kFours);
            if (number % kEvery != kEvery - 1) return;
            auto* map = kept + std::size_t(number / kEvery % kKept) * kFours;
            CHECK(cudaMemcpyAsync(map, states.greens, sizeof(float4) * kFours, cudaMemcpyDeviceToDevice));
          },
          [=] {
            double total = device_sum(reinterpret_cast<const float*>(states.greens), kPlaces);
            const auto* maps = reinterpret_cast<const float*>(kept);
            for (int map = 0; map < kKept; ++map)
              total += device_sum(maps + std::size_t(map) * kPlaces, kPlaces);
            return total;
          },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, nullptr, [] { return make(); });
}
