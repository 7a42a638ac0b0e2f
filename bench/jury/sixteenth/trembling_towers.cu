// Smooths what 131,072 sensors on towers felt: a row has 2048 samples of a sensor, and a recursive filter
// of second order goes along it from sample to sample. A recording a round, of two; the filters go on.
// At fault: lanes load tiles of 32 rows of 32 samples side by side, and then each lane walks along its row
// of the tile, so 32 lanes meet in one bank of shared memory. The pattern is that of tile-ai/TileOPs, pull
// request 1995: rows in shared memory are padded so that lanes meet different banks.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kSensors = 1 << 17, kSamples = 2048, kRecordings = 2, kTile = 32, kWarps = 4;
constexpr int kThreads = 32 * kWarps, kRounds = 2600;

// Of a low pass at a tenth of the rate of samples.
constexpr float kNow = 0.06745527F, kBefore = 2 * kNow, kBack = -1.1429805F, kFartherBack = 0.4128016F;

// A warp has 32 sensors, and a tile of its own. States are the two sums that the filter carries.
template <int kPitch>
__global__ void __launch_bounds__(kThreads)
    smooth(float* __restrict__ out, const float* __restrict__ in, float2* __restrict__ states) {
  __shared__ float tiles[kWarps][kTile][kPitch];
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int first = (static_cast<int>(blockIdx.x) * kWarps + warp) * kTile;
  const int begin = first * kSamples + lane;
  auto& tile = tiles[warp];
  float2 state = states[first + lane];
  for (int sample = 0; sample < kSamples; sample += kTile) {
#pragma unroll
    for (int row = 0; row < kTile; ++row) tile[row][lane] = in[begin + row * kSamples + sample];
    __syncwarp();
#pragma unroll
    for (int i = 0; i < kTile; ++i) {
      const float felt = tile[lane][i];  // fault
      const float smoothed = kNow * felt + state.x;
      state.x = kBefore * felt - kBack * smoothed + state.y;
      state.y = kNow * felt - kFartherBack * smoothed;
      tile[lane][i] = smoothed;  // fault
    }
    __syncwarp();
#pragma unroll
    for (int row = 0; row < kTile; ++row) out[begin + row * kSamples + sample] = tile[row][lane];
    __syncwarp();
  }
  states[first + lane] = state;
}

template <int kPitch>
Case make() {
  constexpr std::size_t kRecording = std::size_t{kSensors} * kSamples;
  auto *recordings = device_array<float>(kRecordings * kRecording), *out = device_array<float>(kRecording);
  for (unsigned number = 0; number < kRecordings; ++number)
    fill_fractions(recordings + number * kRecording, kRecording, number * 0x9e3779b9U);
  auto* states = device_array<float2>(kSensors);
  CHECK(cudaMemset(states, 0, kSensors * sizeof(float2)));
  auto round = std::make_shared<std::size_t>(0);
  return {[=] {
            const float* in = recordings + (*round)++ % kRecordings * kRecording;
            smooth<kPitch><<<kSensors / kTile / kWarps, kThreads>>>(out, in, states);  // fault
          },
          [=] { return device_sum(out, kRecording) + device_sum(&states->x, 2 * kSensors); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make<kTile>(); }, [] { return make<kTile + 1>(); });
}
