// The mean payoff of an option on two assets, from 1 million paths of 64 steps whose random numbers are
// stored.
// At fault: the numbers of a path are contiguous, so that the lanes read 512 bytes apart. The pattern is
// that of MaxMLang/cuda-programming-notes, prac2: its version 2 reads like this, its version 1 step by
// step.
#include "../case.cuh"

namespace {

constexpr int kPaths = 1 << 20, kSteps = 64, kDraws = 2 * kSteps, kThreads = 256;

template <bool kByPath>
__device__ std::size_t place_of(int path, int draw) {
  return kByPath ? static_cast<std::size_t>(path) * kDraws + draw
                 : static_cast<std::size_t>(draw) * kPaths + path;
}

template <bool kByPath>
__global__ void store_draws(float* draws) {
  const int path = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x),
            draw = static_cast<int>(blockIdx.y);
  // Of mean 0 and variance 1.
  const float value = (mixed_fraction(static_cast<unsigned>(path) * kDraws + blockIdx.y) - 0.5F) * 3.4641F;
  draws[place_of<kByPath>(path, draw)] = value;
}

template <bool kByPath>
__device__ void pay(float* payoffs, const float* draws) {
  const int path = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  constexpr float kStep = 1.0F / kSteps, kDrift = 0.05F * kStep, kShared = 0.5F, kOwn = 0.8660254F;
  const float spread = 0.2F * sqrtf(kStep);
  float one = 1, other = 1, mean = 0;
  for (int step = 0; step < kSteps; ++step) {
    const float first = draws[place_of<kByPath>(path, 2 * step)];       // fault
    const float second = draws[place_of<kByPath>(path, 2 * step + 1)];  // fault
    one *= 1 + kDrift + spread * first;
    other *= 1 + kDrift + spread * (kShared * first + kOwn * second);
    mean += fabsf(one - other);
  }
  payoffs[path] = __expf(-0.05F) * mean * kStep;
}

__global__ void pay_by_path(float* payoffs, const float* draws) {
  pay<true>(payoffs, draws);
}

__global__ void pay_by_step(float* payoffs, const float* draws) {
  pay<false>(payoffs, draws);
}

Case make(bool by_path) {
  auto* draws = device_array<float>(std::size_t{kPaths} * kDraws);
  auto* payoffs = device_array<float>(kPaths);
  const dim3 all(kPaths / kThreads, kDraws);
  if (by_path) {
    store_draws<true><<<all, kThreads>>>(draws);
  } else {
    store_draws<false><<<all, kThreads>>>(draws);
  }
  return {[=] {
            if (by_path) {
              pay_by_path<<<kPaths / kThreads, kThreads>>>(payoffs, draws);
            } else {
              pay_by_step<<<kPaths / kThreads, kThreads>>>(payoffs, draws);
            }
          },
          [=] { return device_sum(payoffs, kPaths); }, 1000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
