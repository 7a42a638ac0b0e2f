// Looks for signals whose frequency drifts, in spectra of 1,048,576 channels at 32 times: adds up the
// channels along 64 drifts upwards and along 64 downwards.
// At fault: all blocks of one drift run before those of the next, so that the spectra, 134 MB, come from DRAM
// once for each of the 128 drifts. The pattern is that of UCBerkeleySETI/hyperseti, issue 24: threads of all
// trials read the same values, which belong in shared memory. Here a block has its channels there for all
// drifts.
#include <array>
#include <cuda_pipeline.h>
#include <memory>
#include <vector>

#include "../case.cuh"

namespace {

constexpr int kChannels = 1 << 20, kTimes = 32, kDrifts = 64, kThreads = 256, kRounds = 350;
constexpr int kMargin = 64, kRow = kChannels + 2 * kMargin;  // a row has a margin at both ends
constexpr int kTile = kThreads + kMargin, kFour = 4;         // channels that a block needs of a row
constexpr std::size_t kSpectra = std::size_t{kTimes} * kRow, kSums = std::size_t{kDrifts} * kChannels;
static_assert(kTile % kFour == 0 && kRow % kFour == 0);

// Channels that a signal has moved by, at each time; the same for all lanes.
__constant__ __align__(16) int shifts[kDrifts][kTimes];

template <int kSign>
__global__ void __launch_bounds__(kThreads) add_one_drift(float* sums, const float* spectra) {
  const int channel = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int drift = static_cast<int>(blockIdx.y);
  float sum = 0;
#pragma unroll 8
  for (int time = 0; time < kTimes; ++time) {
    const int from = channel + kMargin + kSign * shifts[drift][time];
    sum += spectra[time * kRow + from];  // fault
  }
  sums[drift * static_cast<std::size_t>(kChannels) + channel] = sum / kTimes;
}

// Of all times, from the first channel that a drift may need.
__device__ void bring_tile(float* tile, const float* first) {
  constexpr int kFours = kTile / kFour;
  for (int i = static_cast<int>(threadIdx.x); i < kTimes * kFours; i += kThreads) {
    const int time = i / kFours, four = i % kFours;
    __pipeline_memcpy_async(tile + time * kTile + four * kFour, first + time * kRow + four * kFour, 16);
  }
  __pipeline_commit();
  __pipeline_wait_prior(0);
}

template <int kSign>
__global__ void __launch_bounds__(kThreads) add_all_drifts(float* sums, const float* spectra) {
  __shared__ __align__(16) float tile[kTimes * kTile];
  const int start = static_cast<int>(blockIdx.x) * kThreads;
  constexpr int kOrigin = kSign > 0 ? 0 : kMargin;
  bring_tile(tile, spectra + start + kMargin - kOrigin);
  __syncthreads();
  const int thread = static_cast<int>(threadIdx.x);
  for (int drift = 0; drift < kDrifts; ++drift) {
    float sum = 0;
#pragma unroll
    for (int time = 0; time < kTimes; ++time) {
      sum += tile[time * kTile + thread + kOrigin + kSign * shifts[drift][time]];
    }
    sums[drift * static_cast<std::size_t>(kChannels) + start + thread] = sum / kTimes;
  }
}

void set_shifts() {
  std::vector<int> values;
  for (int drift = 0; drift < kDrifts; ++drift) {
    for (int time = 0; time < kTimes; ++time) values.push_back(time * drift / (kTimes - 1));
  }
  CHECK(cudaMemcpyToSymbol(shifts, values.data(), values.size() * sizeof(int)));
}

template <int kSign>
void search(bool by_drift, float* sums, const float* spectra) {
  constexpr int kTiles = kChannels / kThreads;
  if (by_drift) {
    add_one_drift<kSign><<<dim3(kTiles, kDrifts), kThreads>>>(sums, spectra);
  } else {
    add_all_drifts<kSign><<<kTiles, kThreads>>>(sums, spectra);
  }
}

Case make(bool by_drift) {
  std::array<float*, 2> recordings{};
  for (unsigned i = 0; i < recordings.size(); ++i) {
    recordings[i] = device_array<float>(kSpectra);
    fill_fractions(recordings[i], kSpectra, 1 + i);
  }
  auto* upwards = device_array<float>(kSums);
  auto* downwards = device_array<float>(kSums);
  set_shifts();
  auto number = std::make_shared<unsigned>(0);
  return {[=] {
            const float* spectra = recordings[(*number)++ % recordings.size()];
            search<1>(by_drift, upwards, spectra);
            search<-1>(by_drift, downwards, spectra);
          },
          [=] { return device_sum(upwards, kSums) + device_sum(downwards, kSums); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
