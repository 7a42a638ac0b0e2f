// Correlates 32 antennas of two polarisations in 1024 channels: 512 samples of one byte for each part
// of a number come from each antenna as they were sent, and the products of all pairs are averaged over
// the rounds. In each eighth round the averages are summed with the phases of a source, for a light
// curve.
// At fault: a kernel of its own brings the samples into the order of the correlation first, so 67 MB
// are read and stored once more. The pattern is that of ska-sa/katgpucbf, pull request 194: the
// correlation loads the samples from where they are.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kInputs = 64, kChannels = 1024, kTimes = 512, kWords = kTimes / 2, kThreads = 256;
constexpr int kStageWords = 32, kStages = kWords / kStageWords, kQuads = kStageWords / 4,
              kPitch = kInputs + 1;
constexpr int kRowsAtOnce = kThreads / kQuads, kOwnRows = kInputs / kRowsAtOnce;
constexpr int kSide = 16, kOwn = kInputs / kSide, kPairs = kInputs * kInputs, kChunks = 2;
constexpr int kBetweenLights = 8, kRounds = 10000;
constexpr std::size_t kAllWords = std::size_t{kInputs} * kChannels * kWords;
constexpr float kKept = 0.9F;

// Two samples a word: the real and the imaginary part of the first, then those of the second.
using Word = unsigned;

// A word of each input at each of some times, and the same with imaginary parts and negative real ones.
struct Tiles {
  Word samples[kStageWords][kPitch], turned[kStageWords][kPitch];
};

// How many quads of words lie between the pieces of inputs, of channels and of stages.
struct Order {
  int input, channel, stage;
};

// As antennas send: all times of a channel of an input.
constexpr Order kSent{kChannels * kStages * kQuads, kStages* kQuads, kQuads};
// As one would like to multiply: all inputs at some times of a channel.
constexpr Order kTogether{kQuads, kStages* kInputs* kQuads, kInputs* kQuads};

// A block has a channel. Pieces of 128 bytes go where they are wanted.
__global__ void __launch_bounds__(kThreads) reorder(uint4* __restrict__ out, const uint4* __restrict__ in) {
  const int channel = static_cast<int>(blockIdx.x);
  const int quad = static_cast<int>(threadIdx.x) % kQuads, first = static_cast<int>(threadIdx.x) / kQuads;
  for (int stage = 0; stage < kStages; ++stage) {
#pragma unroll
    for (int own = 0; own < kOwnRows; ++own) {
      const int input = first + own * kRowsAtOnce;
      const int from = input * kSent.input + channel * kSent.channel + stage * kSent.stage + quad;
      const int to = input * kTogether.input + channel * kTogether.channel + stage * kTogether.stage + quad;
      out[to] = in[from];  // fault
    }
  }
}

// From (real, imaginary) to (imaginary, -real); no part is -128.
__device__ Word turned(Word word) {
  return __byte_perm(word, __vneg4(word), 0x6341);
}

__device__ void store_quad(Tiles& tiles, uint4 quad, int time, int input) {
  const Word words[4] = {quad.x, quad.y, quad.z, quad.w};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    tiles.samples[time + i][input] = words[i];
    tiles.turned[time + i][input] = turned(words[i]);
  }
}

// Sums of one times the other's conjugate.
__device__ void add_products(int (&real)[kOwn][kOwn], int (&imaginary)[kOwn][kOwn], const Tiles& tiles,
                             int row, int column) {
#pragma unroll 4
  for (int time = 0; time < kStageWords; ++time) {
    int ones[kOwn], ones_turned[kOwn], others[kOwn];
#pragma unroll
    for (int i = 0; i < kOwn; ++i) {
      ones[i] = static_cast<int>(tiles.samples[time][row + i * kSide]);
      ones_turned[i] = static_cast<int>(tiles.turned[time][row + i * kSide]);
      others[i] = static_cast<int>(tiles.samples[time][column + i * kSide]);
    }
#pragma unroll
    for (int one = 0; one < kOwn; ++one) {
#pragma unroll
      for (int other = 0; other < kOwn; ++other) {
        real[one][other] = __dp4a(ones[one], others[other], real[one][other]);
        imaginary[one][other] = __dp4a(ones_turned[one], others[other], imaginary[one][other]);
      }
    }
  }
}

// A block has a channel, and a thread 16 pairs. The next words are under way meanwhile.
__global__ void __launch_bounds__(kThreads)
    correlate(float2* __restrict__ averages, const uint4* __restrict__ samples, const Order order) {
  __shared__ Tiles tiles;
  const int thread = static_cast<int>(threadIdx.x), channel = static_cast<int>(blockIdx.x);
  const int quad = thread % kQuads, first = thread / kQuads, row = thread / kSide, column = thread % kSide;
  const uint4* own = samples + channel * order.channel + first * order.input + quad;
  int real[kOwn][kOwn] = {}, imaginary[kOwn][kOwn] = {};
  uint4 coming[kOwnRows];
#pragma unroll
  for (int i = 0; i < kOwnRows; ++i) coming[i] = own[i * kRowsAtOnce * order.input];  // fault
  for (int stage = 0; stage < kStages; ++stage) {
#pragma unroll
    for (int i = 0; i < kOwnRows; ++i) store_quad(tiles, coming[i], 4 * quad, first + i * kRowsAtOnce);
    __syncthreads();
    if (stage + 1 < kStages) {
#pragma unroll
      for (int i = 0; i < kOwnRows; ++i)
        coming[i] = own[i * kRowsAtOnce * order.input + (stage + 1) * order.stage];  // fault
    }
    add_products(real, imaginary, tiles, row, column);
    __syncthreads();
  }
#pragma unroll
  for (int one = 0; one < kOwn; ++one) {
#pragma unroll
    for (int other = 0; other < kOwn; ++other) {
      float2& average = averages[channel * kPairs + (row + one * kSide) * kInputs + column + other * kSide];
      const float2 before = average;
      average =
          make_float2(kKept * before.x + (1 - kKept) * static_cast<float>(real[one][other]) / kTimes,
                      kKept * before.y + (1 - kKept) * static_cast<float>(imaginary[one][other]) / kTimes);
    }
  }
}

// Of the pairs of a channel, with the phases of a source at some place. A block has a channel.
__global__ void __launch_bounds__(kThreads)
    sum_source(float* lights, const float2* __restrict__ averages, float place) {
  __shared__ float2 phases[kInputs];
  __shared__ float parts[kThreads / 32];
  const int thread = static_cast<int>(threadIdx.x), channel = static_cast<int>(blockIdx.x);
  if (thread < kInputs) {
    const float turn = place * static_cast<float>((thread / 2 * thread / 2) % 61) *
                       (1 + static_cast<float>(channel) / kChannels);
    phases[thread] = make_float2(cospif(turn), sinpif(turn));
  }
  __syncthreads();
  float sum = 0;
#pragma unroll 8
  for (int pair = thread; pair < kPairs; pair += kThreads) {
    const float2 one = phases[pair / kInputs], other = phases[pair % kInputs];
    const float2 average = averages[channel * kPairs + pair];
    sum += average.x * (one.x * other.x + one.y * other.y) - average.y * (one.x * other.y - one.y * other.x);
  }
#pragma unroll
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, far);
  if (thread % 32 == 0) parts[thread / 32] = sum;
  __syncthreads();
  if (thread != 0) return;
  for (int part = 1; part < kThreads / 32; ++part) sum += parts[part];
  lights[channel] = 0.99F * lights[channel] + sum / kPairs;
}

// Noise, and a source that all antennas see. No part is -128.
__global__ void __launch_bounds__(kThreads) receive(Word* samples, unsigned chunk) {
  const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  const unsigned own = mixed_bits(static_cast<unsigned>(i) + chunk * 7919);
  const unsigned shared = mixed_bits(static_cast<unsigned>(i % (kChannels * kWords)) + chunk * 104729);
  Word word = 0;
  for (int byte = 0; byte < 32; byte += 8) {
    const int noise = static_cast<int>((own >> byte) % 64) - 32;
    const int signal = static_cast<int>((shared >> byte) % 128) - 64;
    word |= (static_cast<unsigned>(noise + signal) & 0xffU) << byte;
  }
  samples[i] = word;
}

Case make(bool apart) {
  auto* samples = device_array<Word>(kChunks * kAllWords);
  for (unsigned chunk = 0; chunk < kChunks; ++chunk)
    receive<<<kAllWords / kThreads, kThreads>>>(samples + chunk * kAllWords, chunk);
  CHECK(cudaGetLastError());
  auto* together = apart ? device_array<Word>(kAllWords) : nullptr;
  auto* averages = device_array<float2>(std::size_t{kChannels} * kPairs);
  auto* lights = device_array<float>(kChannels);
  CHECK(cudaMemset(averages, 0, std::size_t{kChannels} * kPairs * sizeof(float2)));
  CHECK(cudaMemset(lights, 0, kChannels * sizeof(float)));
  auto number = std::make_shared<int>(0);
  return {[=] {
            const auto* in = reinterpret_cast<const uint4*>(samples + *number % kChunks * kAllWords);
            if (apart) {
              auto* out = reinterpret_cast<uint4*>(together);
              reorder<<<kChannels, kThreads>>>(out, in);                     // fault
              correlate<<<kChannels, kThreads>>>(averages, out, kTogether);  // fault
            } else {
              correlate<<<kChannels, kThreads>>>(averages, in, kSent);
            }
            if (*number % kBetweenLights == 0)
              sum_source<<<kChannels, kThreads>>>(lights, averages,
                                                  1e-3F * static_cast<float>(*number % 200));
            ++*number;
          },
          [=] { return device_sum(lights, kChannels); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
