// The price of each of 2048 options by a binomial lattice of 1024 steps, a block an option.
// Nothing is wrong: all traffic is with shared memory, by neighbouring words; the blocks are few words of
// memory each. The pattern is that of NVIDIA/cuda-samples, Samples/5_Domain_Specific/binomialOptions.
#include "../case.cuh"

namespace {

constexpr int kOptions = 2048, kSteps = 1024, kThreads = 256;

struct Option {
  float stock, strike, years, rate;
};

__global__ void __launch_bounds__(kThreads)
    price_by_lattice(float* prices, const Option* options, float volatility) {
  __shared__ float values[2][kSteps + 1];
  const Option option = options[blockIdx.x];
  const float step = option.years / kSteps, up = volatility * sqrtf(step);
  const float growth = expf(option.rate * step), down = expf(-up);
  const float rise = (growth - down) / (expf(up) - down), high = rise / growth, low = (1 - rise) / growth;
  for (int i = static_cast<int>(threadIdx.x); i <= kSteps; i += kThreads) {
    const float price = option.stock * expf(up * static_cast<float>(2 * i - kSteps));
    values[0][i] = fmaxf(price - option.strike, 0.0F);
  }
  for (int left = kSteps; left > 0; --left) {
    __syncthreads();
    const int from = (kSteps - left) % 2;
    for (int i = static_cast<int>(threadIdx.x); i < left; i += kThreads) {
      values[1 - from][i] = high * values[from][i + 1] + low * values[from][i];
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) prices[blockIdx.x] = values[kSteps % 2][0];
}

__global__ void fill_options(Option* options, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  const auto seed = static_cast<unsigned>(i) * 4;
  options[i] = {20 + 10 * mixed_fraction(seed), 15 + 10 * mixed_fraction(seed + 1),
                1 + mixed_fraction(seed + 2), 0.02F};
}

Case make() {
  auto* options = device_array<Option>(kOptions);
  auto* prices = device_array<float>(kOptions);
  fill_options<<<blocks_for(kOptions, 256), 256>>>(options, kOptions);
  return {[=] { price_by_lattice<<<kOptions, kThreads>>>(prices, options, 0.3F); },
          [=] { return device_sum(prices, kOptions); }, 600};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
