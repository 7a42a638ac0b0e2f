// Lets the ground of a cold country thaw and freeze: 8.4 million columns of 24 layers conduct heat from the
// air downwards, and water holds the heat near the point of freezing. A day a round, solved from the top to
// the bottom and back.
// At fault: the number of layers is known only when the kernel runs, so what the way back needs is indexed
// by a variable and lies in local memory. The pattern is that of llnl/zfp, pull request 61, and
// llnl/RAJAPerf, pull request 696: counts that the compiler knows, loops that it unrolls.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kColumns = 1 << 23, kLayers = 24, kMost = 32, kDays = 8, kThreads = 128, kRounds = 8000;
constexpr int kRegion = 64, kSummed = 6;

// What a layer holds for a day, and how it conducts to the one above; the last one conducts to nothing.
__constant__ float holds_most[kMost], conducts_up[kMost + 1];

// A thread has a column; those of the same layer lie side by side. 0 known layers: as many as are given.
template <int kKnown>
__global__ void __launch_bounds__(kThreads)
    conduct(float* __restrict__ heat, const float* __restrict__ conducts, const float* __restrict__ waters,
            const float* __restrict__ air, int given) {
  constexpr int kRoom = kKnown > 0 ? kKnown : kMost;
  const int layers = kKnown > 0 ? kKnown : given;
  const int column = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const float conduct = conducts[column], water = waters[column];
  float shares[kRoom], carried[kRoom];  // fault
  float share = 0, carry = air[column];
#pragma unroll
  for (int layer = 0; layer < layers; ++layer) {
    const float own = heat[layer * kColumns + column];
    const float holds = (1 + __fdividef(water, 1 + 4 * own * own)) * holds_most[layer];
    const float up = conduct * conducts_up[layer], down = conduct * conducts_up[layer + 1];
    const float scale = __fdividef(1, holds + up * (1 - share) + down);
    carry = (holds * own + up * carry) * scale;
    share = down * scale;
    carried[layer] = carry;  // fault
    shares[layer] = share;   // fault
  }
  float below = 0;
#pragma unroll
  for (int layer = layers - 1; layer >= 0; --layer) {
    below = carried[layer] + shares[layer] * below;  // fault
    heat[layer * kColumns + column] = below;
  }
}

__global__ void __launch_bounds__(kThreads) begin(float* heat, float* conducts, float* waters) {
  const unsigned column = blockIdx.x * kThreads + threadIdx.x;
  conducts[column] = 1 + 1.5F * mixed_fraction(column);
  waters[column] = 20 * mixed_fraction(column / kRegion + 0x20000000U);
  for (int layer = 0; layer < kLayers; ++layer)
    heat[layer * kColumns + static_cast<int>(column)] = -2 - 4 * mixed_fraction(column + 0x40000000U);
}

__global__ void __launch_bounds__(kThreads) blow(float* air, float warmth) {
  const unsigned column = blockIdx.x * kThreads + threadIdx.x;
  air[column] = warmth - 6 * mixed_fraction(column / kRegion + 0x60000000U);
}

// Layers are 5 cm thick at the top, and each is thicker than the one above by 15 %.
void set_layers() {
  float most[kMost]{}, up[kMost + 1]{};
  float thick = 0.05F, before = 0;
  for (int layer = 0; layer < kLayers; ++layer, before = thick, thick *= 1.15F) {
    most[layer] = 23 * thick;
    up[layer] = 2 / (before + thick);
  }
  CHECK(cudaMemcpyToSymbol(holds_most, most, sizeof(most)));
  CHECK(cudaMemcpyToSymbol(conducts_up, up, sizeof(up)));
}

template <int kKnown>
Case make() {
  set_layers();
  auto* heat = device_array<float>(std::size_t{kLayers} * kColumns);
  auto *conducts = device_array<float>(kColumns), *waters = device_array<float>(kColumns);
  begin<<<kColumns / kThreads, kThreads>>>(heat, conducts, waters);
  auto* air = device_array<float>(std::size_t{kDays} * kColumns);
  for (int day = 0; day < kDays; ++day)
    blow<<<kColumns / kThreads, kThreads>>>(air + std::size_t(day) * kColumns,
                                            static_cast<float>(2 * day) - 9);
  CHECK(cudaGetLastError());
  auto round = std::make_shared<int>(0);
  return {[=] {
            const float* today = air + static_cast<std::size_t>((*round)++ % kDays) * kColumns;
            conduct<kKnown>
                <<<kColumns / kThreads, kThreads>>>(heat, conducts, waters, today, kLayers);  // fault
          },
          [=] { return device_sum(heat + std::size_t{kSummed} * kColumns, kColumns); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make<0>(); }, [] { return make<kLayers>(); });
}
