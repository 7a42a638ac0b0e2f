// A test bench for digital radios in cars: frames of 1018 bits are sent through a convolutional code
// (constraint length 7, rate 1/2) and a channel that fades, and are decoded (Viterbi, soft decisions). Frames
// with errors are concealed, and the transmitter gets louder or softer. Two drives of 32768 frames a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kFrames = 1 << 15, kSteps = 1024, kTail = 6, kLanes = 32, kSegments = kSteps / kLanes;
constexpr int kThreads = 128, kWarps = kThreads / kLanes, kSenders = 256, kTuners = 1024;
constexpr int kReach = 96;  // how many steps a way back goes before its bits count
constexpr int kDrivesOfRound = 2, kRounds = 480;
constexpr unsigned kMask = 0xffffffffU, kGolden = 2654435761U, kFirst = 0x79, kSecond = 0x5b;

struct Bench {
  int* symbols;  // two steps in each: four soft bits of 8 bits
  unsigned *words, *audio;
  int* errors;
  float *channel, *log;  // how loud, mean errors
  cudaStream_t stream;
  unsigned drive = 0;
};

// What is said: 32 bits of a frame. The last six are zero, so that the code ends where it began.
__host__ __device__ inline unsigned said(unsigned frame, unsigned word, unsigned drive) {
  const unsigned bits = mixed_bits((frame * kSegments + word) ^ drive * kGolden);
  return word == kSegments - 1 ? bits & (kMask >> kTail) : bits;
}

// Nearly normal: the sum of four bytes.
__device__ float noise_of(unsigned seed) {
  const unsigned bits = mixed_bits(seed);
  const unsigned sum = (bits & 0xff) + (bits >> 8 & 0xff) + (bits >> 16 & 0xff) + (bits >> 24);
  return (static_cast<float>(sum) - 510) / 148;
}

__device__ int soft(float value) {
  return __float2int_rn(fminf(fmaxf(value, -127), 127)) & 0xff;
}

// A thread sends four steps. Frames fade by a slow wave of their own.
__global__ void __launch_bounds__(kSenders)
    broadcast(int2* __restrict__ symbols, const float* __restrict__ channel, unsigned drive) {
  const unsigned frame = blockIdx.x, step = 4 * threadIdx.x, word = step / 32;
  const unsigned long long now = said(frame, word, drive), last = word > 0 ? said(frame, word - 1, drive) : 0;
  const unsigned long long bits = now << 32 | last;
  const float depth = 0.35F + 0.3F * mixed_fraction(frame + drive * 31);
  const float fade = 1 - depth * __sinf(0.006F * static_cast<float>(step) + static_cast<float>(frame % 64));
  const float loud = 24 * *channel * fade;
  int packed[2] = {};
#pragma unroll
  for (unsigned i = 0; i < 4; ++i) {
    // The newest bit is the highest of seven.
    const auto seven = static_cast<unsigned>(bits >> (32 + step % 32 + i - kTail)) & 0x7f;
    const unsigned seed = ((frame * kSteps + step + i) ^ drive * 40503U) * 2;
    const float one = (__popc(seven & kFirst) & 1) != 0 ? loud : -loud;
    const float two = (__popc(seven & kSecond) & 1) != 0 ? loud : -loud;
    const int pair = soft(one + 15 * noise_of(seed)) | soft(two + 15 * noise_of(seed + 1)) << 8;
    packed[i / 2] |= pair << (16 * (i % 2));
  }
  symbols[frame * kSenders + threadIdx.x] = make_int2(packed[0], packed[1]);
}

// Of two ways into a state the better one; sums go around, so their difference counts.
__device__ bool second_is_better(unsigned two) {
  return static_cast<short>((two >> 16) - (two & 0xffff)) > 0;
}

// The 64 sums of a frame: a lane has those of states `lane` and `lane + 32`, 16 bits each.
struct Trellis {
  unsigned sums, order, weights;
  int from;

  __device__ explicit Trellis(int lane) : sums(lane == 0 ? 0xf000U << 16 : 0xf000f000U) {
    from = 2 * lane % kLanes;
    order = lane < kLanes / 2 ? 0x5410 : 0x7632;
    const unsigned state = 2 * static_cast<unsigned>(lane);
    weights = ((__popc(state & kFirst) & 1) != 0 ? 0x01U : 0xffU) |
              ((__popc(state & kSecond) & 1) != 0 ? 0x0100U : 0xff00U);
  }

  // Decisions of the states below 32 and of the others.
  __device__ uint2 step(int symbols, int shift) {
    const unsigned one = __shfl_sync(kMask, sums, from), two = __shfl_sync(kMask, sums, from + 1);
    const unsigned old = __byte_perm(one, two, order);
    const auto fits = static_cast<unsigned>(__dp4a(symbols, static_cast<int>(weights << shift), 0)) & 0xffff;
    const unsigned against = (0U - fits) & 0xffff;
    const unsigned low = __vadd2(old, fits | against << 16), high = __vadd2(old, against | fits << 16);
    const bool low_second = second_is_better(low), high_second = second_is_better(high);
    sums = __byte_perm(low_second ? low >> 16 : low, high_second ? high >> 16 : high, 0x5410);
    return make_uint2(__ballot_sync(kMask, low_second), __ballot_sync(kMask, high_second));
  }
};

// A warp decodes a frame. Then each lane goes back along the best way through 32 steps of its own, and begins
// some steps later, where all ways have come together.
__global__ void __launch_bounds__(kThreads) decode(unsigned* __restrict__ words, int* __restrict__ errors,
                                                   const int* __restrict__ symbols, unsigned drive) {
  __shared__ uint2 decisions[kWarps][kSegments * (kLanes + 1)];
  const auto lane = static_cast<int>(threadIdx.x) % kLanes, warp = static_cast<int>(threadIdx.x) / kLanes;
  const unsigned frame = blockIdx.x * kWarps + static_cast<unsigned>(warp);
  uint2* own = decisions[warp];
  const int* received = symbols + static_cast<std::size_t>(frame) * (kSteps / 2) + lane;
  Trellis trellis(lane);
  int coming = received[0];
  for (int part = 0; part < kSegments / 2; ++part) {
    const int here = coming;
    if (part + 1 < kSegments / 2) coming = received[(part + 1) * kLanes];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      uint2 kept = make_uint2(0, 0);
#pragma unroll 8
      for (int pair = 0; pair < kLanes / 2; ++pair) {
        const int both = __shfl_sync(kMask, here, half * (kLanes / 2) + pair);
        const uint2 even = trellis.step(both, 0), odd = trellis.step(both, 16);
        if (lane == 2 * pair) kept = even;
        if (lane == 2 * pair + 1) kept = odd;
      }
      own[(2 * part + half) * (kLanes + 1) + lane] = kept;
    }
  }
  __syncwarp();
  unsigned state = 0, word = 0;
#pragma unroll 4
  for (int back = kLanes + kReach - 1; back >= 0; --back) {
    const int step = lane * kLanes + back;
    if (step >= kSteps) continue;
    if (back < kLanes) word |= state / kLanes << back;
    const uint2 decided = own[step + step / kLanes];
    const unsigned bits = state < kLanes ? decided.x : decided.y;
    state = (state % kLanes) * 2 + (bits >> state % kLanes & 1);
  }
  words[frame * kSegments + static_cast<unsigned>(lane)] = word;
  const auto wrong = static_cast<unsigned>(__popc(word ^ said(frame, static_cast<unsigned>(lane), drive)));
  const unsigned all = __reduce_add_sync(kMask, wrong);
  if (lane == 0) errors[frame] = static_cast<int>(all);
}

// A frame with many errors is taken from the one before, and softer. Samples have 8 bits here.
__global__ void __launch_bounds__(kSenders)
    conceal(uint4* __restrict__ audio, const uint4* __restrict__ words, const int* __restrict__ errors) {
  const unsigned i = blockIdx.x * kSenders + threadIdx.x, frame = i / (kSegments / 4);
  const bool bad = errors[frame] > 8;
  uint4 own = words[bad && frame > 0 ? i - kSegments / 4 : i];
  if (bad) {
    own.x = own.x >> 1 & 0x7f7f7f7f;
    own.y = own.y >> 1 & 0x7f7f7f7f;
    own.z = own.z >> 1 & 0x7f7f7f7f;
    own.w = own.w >> 1 & 0x7f7f7f7f;
  }
  audio[i] = own;
}

__global__ void __launch_bounds__(kTuners)
    tune(float* channel, float* log, const int4* __restrict__ errors, unsigned drive) {
  __shared__ int warps[kTuners / kLanes];
  const auto thread = static_cast<int>(threadIdx.x);
  int sum = 0;
#pragma unroll
  for (int part = 0; part < kFrames / 4 / kTuners; ++part) {
    const int4 four = errors[part * kTuners + thread];
    sum += four.x + four.y + four.z + four.w;
  }
  for (int far = kLanes / 2; far > 0; far /= 2) sum += __shfl_xor_sync(kMask, sum, far);
  if (thread % kLanes == 0) warps[thread / kLanes] = sum;
  __syncthreads();
  if (thread != 0) return;
  sum = 0;
  for (const int warp : warps) sum += warp;
  const float rate = static_cast<float>(sum) / kFrames, wave = __sinf(0.05F * static_cast<float>(drive));
  channel[0] = fminf(fmaxf(channel[0] * (1 + 0.02F * (rate - 4 - 2 * wave)), 0.5F), 2);
  log[drive] = rate + channel[0];
}

void next_drive(Bench& bench) {
  const unsigned drive = bench.drive++;
  broadcast<<<kFrames, kSenders, 0, bench.stream>>>(reinterpret_cast<int2*>(bench.symbols), bench.channel,
                                                    drive);
  decode<<<kFrames / kWarps, kThreads, 0, bench.stream>>>(bench.words, bench.errors, bench.symbols, drive);
  conceal<<<kFrames*(kSegments / 4) / kSenders, kSenders, 0, bench.stream>>>(
      reinterpret_cast<uint4*>(bench.audio), reinterpret_cast<const uint4*>(bench.words), bench.errors);
  tune<<<1, kTuners, 0, bench.stream>>>(bench.channel, bench.log, reinterpret_cast<const int4*>(bench.errors),
                                        drive);
}

Case make() {
  const auto bench = std::make_shared<Bench>();
  bench->symbols = device_array<int>(static_cast<std::size_t>(kFrames) * (kSteps / 2));
  bench->words = device_array<unsigned>(kFrames * kSegments);
  bench->audio = device_array<unsigned>(kFrames * kSegments);
  bench->errors = device_array<int>(kFrames);
  bench->channel = device_array<float>(1);
  bench->log = device_array<float>(kDrivesOfRound * kRounds);
  const float loud = 1.6F;
  CHECK(cudaMemcpy(bench->channel, &loud, sizeof loud, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(bench->log, 0, kDrivesOfRound * kRounds * sizeof(float)));
  CHECK(cudaStreamCreateWithFlags(&bench->stream, cudaStreamNonBlocking));
  const auto round = [=] {
    for (int i = 0; i < kDrivesOfRound; ++i) next_drive(*bench);
  };
  const auto sum = [=] {
    return device_sum(bench->log, kDrivesOfRound * kRounds) +
           1e-12 * device_sum(bench->audio, kFrames * kSegments);
  };
  return {round, sum, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, nullptr, make);
}
