// Sonar of a river: a survey boat sends pings, each of which gives a row of samples for each of its beams.
// Rows are brought to one loudness, smoothed there and back along time, and the strongest echo is the bed.
// The bed is kept as a map, and what is in the water as a picture. Four swaths of pings a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kBeams = 512, kPings = 256, kRows = kBeams * kPings, kSamples = 512, kSwaths = 4;
constexpr int kLanes = 32, kWarps = 4, kThreads = kWarps * kLanes, kTiles = kSamples / kLanes;
constexpr int kPingsOfPicture = 8, kPicturePings = kPings / kPingsOfPicture, kBlind = 16, kRounds = 500;
constexpr std::size_t kEchoes = std::size_t{kRows} * kSamples;
constexpr std::size_t kPicture = std::size_t{kPicturePings} * kBeams * kSamples;
constexpr float kSmooth = 0.35F, kLearn = 0.1F, kFade = 0.8F;

struct Survey {
  float *echoes, *smoothed, *depths, *bed, *picture;
  int swath = 0;
};

// How a swath was recorded.
struct Setting {
  float absorption, level, floor;
};

struct Narrow {
  static constexpr int kPitch = kLanes;
};

struct Wide {
  static constexpr int kPitch = kLanes + 1;
};

// Echoes from far away are weaker.
__device__ float gain_at(int sample, const Setting& set) {
  const auto far = static_cast<float>(sample);
  return set.level * (1 + 0.01F * far) * __expf(set.absorption * far);
}

template <class Shape>
using Tile = float[kLanes][Shape::kPitch];

// A warp has 32 rows, and goes along them by tiles of 32 samples. A lane filters a row.
template <class Shape>
__global__ void __launch_bounds__(kThreads)
    smooth_forward(float* __restrict__ smoothed, const float* __restrict__ echoes, Setting set) {
  __shared__ Tile<Shape> tiles[kWarps];
  const auto lane = static_cast<int>(threadIdx.x) % kLanes, warp = static_cast<int>(threadIdx.x) / kLanes;
  const std::size_t first = (std::size_t{blockIdx.x} * kWarps + warp) * kLanes * kSamples + lane;
  auto& tile = tiles[warp];
  float state = 0;
  for (int number = 0; number < kTiles; ++number) {
    const std::size_t at = first + number * kLanes;
    const float gain = gain_at(number * kLanes + lane, set);
#pragma unroll
    for (int row = 0; row < kLanes; ++row)
      tile[row][lane] = fmaxf(gain * echoes[at + row * kSamples] - set.floor, 0);
    __syncwarp();
#pragma unroll
    for (int sample = 0; sample < kLanes; ++sample) {
      state += kSmooth * (tile[lane][sample] - state);  // fault
      tile[lane][sample] = state;                       // fault
    }
    __syncwarp();
#pragma unroll
    for (int row = 0; row < kLanes; ++row) smoothed[at + row * kSamples] = tile[row][lane];
    __syncwarp();
  }
}

// The same from the end to the beginning, so that echoes stay where they are. The strongest one is the bed.
template <class Shape>
__global__ void __launch_bounds__(kThreads)
    smooth_backward(float* __restrict__ smoothed, float* __restrict__ depths) {
  __shared__ Tile<Shape> tiles[kWarps];
  const auto lane = static_cast<int>(threadIdx.x) % kLanes, warp = static_cast<int>(threadIdx.x) / kLanes;
  const std::size_t first_row = (std::size_t{blockIdx.x} * kWarps + warp) * kLanes;
  const std::size_t first = first_row * kSamples + lane;
  auto& tile = tiles[warp];
  float state = 0, strongest = 0;
  int depth = kSamples - 1;
  for (int number = kTiles - 1; number >= 0; --number) {
    const std::size_t at = first + number * kLanes;
#pragma unroll
    for (int row = 0; row < kLanes; ++row) tile[row][lane] = smoothed[at + row * kSamples];
    __syncwarp();
#pragma unroll
    for (int sample = kLanes - 1; sample >= 0; --sample) {
      state += kSmooth * (tile[lane][sample] - state);  // fault
      tile[lane][sample] = state;                       // fault
      const int here = number * kLanes + sample;
      if (state > strongest && here >= kBlind) {
        strongest = state;
        depth = here;
      }
    }
    __syncwarp();
#pragma unroll
    for (int row = 0; row < kLanes; ++row) smoothed[at + row * kSamples] = tile[row][lane];
    __syncwarp();
  }
  depths[first_row + lane] = static_cast<float>(depth);
}

__device__ void put_in_order(float& low, float& high) {
  const float one = low, other = high;
  low = fminf(one, other);
  high = fmaxf(one, other);
}

// Fish and stones deceive single beams: the median of five neighbours goes to the map.
__global__ void __launch_bounds__(256) map_bed(float* __restrict__ bed, const float* __restrict__ depths) {
  const auto row = static_cast<int>(blockIdx.x * 256 + threadIdx.x);
  const int beam = row % kBeams, ping = row - beam;
  float five[5];
#pragma unroll
  for (int i = 0; i < 5; ++i) five[i] = depths[ping + min(max(beam + i - 2, 0), kBeams - 1)];
  put_in_order(five[0], five[1]);
  put_in_order(five[3], five[4]);
  put_in_order(five[0], five[3]);
  put_in_order(five[1], five[4]);
  put_in_order(five[1], five[2]);
  put_in_order(five[2], five[3]);
  put_in_order(five[1], five[2]);
  bed[row] += kLearn * (five[2] - bed[row]);
}

// A thread has four samples of a beam, and takes the mean of eight pings.
__global__ void __launch_bounds__(256)
    draw_water(float4* __restrict__ picture, const float4* __restrict__ smoothed) {
  constexpr int kQuads = kSamples / 4;
  const auto i = static_cast<int>(blockIdx.x * 256 + threadIdx.x);
  const int column = i % (kBeams * kQuads), group = i / (kBeams * kQuads);
  const float4* first = smoothed + std::size_t{kPingsOfPicture} * group * kBeams * kQuads + column;
  float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll
  for (int ping = 0; ping < kPingsOfPicture; ++ping) {
    const float4 four = first[ping * kBeams * kQuads];
    sum = make_float4(sum.x + four.x, sum.y + four.y, sum.z + four.z, sum.w + four.w);
  }
  constexpr float kShare = (1 - kFade) / kPingsOfPicture;
  const float4 old = picture[i];
  picture[i] = make_float4(kFade * old.x + kShare * sum.x, kFade * old.y + kShare * sum.y,
                           kFade * old.z + kShare * sum.z, kFade * old.w + kShare * sum.w);
}

// The bed, a school of fish above it, and noise.
__global__ void __launch_bounds__(256) send_pings(float* echoes) {
  const std::size_t i = std::size_t{blockIdx.x} * 256 + threadIdx.x;
  const auto sample = static_cast<float>(i % kSamples);
  const auto row = static_cast<int>(i / kSamples);
  const auto beam = static_cast<float>(row % kBeams), ping = static_cast<float>(row / kBeams);
  const float depth = 300 + 90 * __sinf(0.011F * beam + 0.3F) * __cosf(0.023F * ping);
  const float fish = 120 + 60 * mixed_fraction(static_cast<unsigned>(row) + 17);
  const float from_bed = (sample - depth) / 5, from_fish = (sample - fish) / 3;
  const float noise = 0.02F * mixed_fraction(static_cast<unsigned>(i) + 5);
  const float echo = 0.3F * __expf(-from_bed * from_bed) + 0.8F * __expf(-from_fish * from_fish);
  echoes[i] = (echo + noise) / (1 + 0.01F * sample);
}

Setting setting_of(int swath) {
  const auto time = static_cast<float>(swath);
  return {0.004F + 0.002F * std::sin(0.05F * time), 1 + 0.3F * std::sin(0.031F * time),
          0.02F + 0.01F * std::cos(0.017F * time)};
}

template <class Shape>
void survey_swath(Survey& survey) {
  constexpr unsigned kBlocks = kRows / kThreads;
  const Setting set = setting_of(survey.swath++);
  smooth_forward<Shape><<<kBlocks, kThreads>>>(survey.smoothed, survey.echoes, set);
  smooth_backward<Shape><<<kBlocks, kThreads>>>(survey.smoothed, survey.depths);
  map_bed<<<kRows / 256, 256>>>(survey.bed, survey.depths);
  draw_water<<<kPicture / 4 / 256, 256>>>(reinterpret_cast<float4*>(survey.picture),
                                          reinterpret_cast<const float4*>(survey.smoothed));
}

template <class Shape>
Case make() {
  const auto survey = std::make_shared<Survey>();
  survey->echoes = device_array<float>(kEchoes);
  survey->smoothed = device_array<float>(kEchoes);
  survey->depths = device_array<float>(kRows);
  survey->bed = device_array<float>(kRows);
  survey->picture = device_array<float>(kPicture);
  send_pings<<<kEchoes / 256, 256>>>(survey->echoes);
  CHECK(cudaMemset(survey->bed, 0, kRows * sizeof(float)));
  CHECK(cudaMemset(survey->picture, 0, kPicture * sizeof(float)));
  const auto round = [=] {
    for (int i = 0; i < kSwaths; ++i) survey_swath<Shape>(*survey);
  };
  return {round, [=] { return device_sum(survey->bed, kRows) + device_sum(survey->picture, kPicture); },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, make<Narrow>, make<Wide>);
}
