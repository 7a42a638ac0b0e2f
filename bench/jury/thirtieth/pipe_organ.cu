// A pipe organ: 4096 pipes of four kinds, each with eight harmonics, are sounded by a score, heard in a
// church with 48 echoes for each ear, and handed on as samples of 16 bits. Eight blocks of sound a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kPipes = 4096, kHarmonics = 8, kSamples = 65536, kThreads = 256, kOfThread = 4;
constexpr int kChunk = kThreads * kOfThread, kGroups = 8, kOfGroup = kPipes / kGroups;
constexpr int kTile = 128, kEchoes = 48, kRing = 4 * kSamples, kRate = 48000;
constexpr int kSlots = 3, kBlocksOfRound = 8, kRounds = 440;
constexpr float kPi = 3.1415927F;

// Delays in samples, and how loud the echoes are.
struct Echo {
  int left, right;
  float left_gain, right_gain;
};

__constant__ Echo echoes[kEchoes];

// A turn of the phase is 2^32. The loudness goes from one to the other within a block of sound.
struct __align__(16) Voice {
  unsigned phase, step;
  float loud, louder;
};

struct Slot {
  short2 *made, *host;
  cudaEvent_t worked, done;
};

struct Organ {
  Slot slots[kSlots];
  Voice* voices;
  float4* tones;        // of each pipe, two for its harmonics
  float *parts, *ring;  // sound of the groups of pipes; the last seconds of all
  cudaStream_t work, copies;
  double heard = 0;
  int block = 0;
};

// Which pipes sound is told by chords that change every fourth block; wind makes all of them tremble.
__global__ void __launch_bounds__(kThreads) play(Voice* voices, int block) {
  const auto pipe = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  Voice own = voices[pipe];
  const int note = pipe % 64, stop = pipe / 64;
  const unsigned chord = mixed_bits(static_cast<unsigned>(block) / 4 * 7919U + 3);
  const bool pressed =
      (note - static_cast<int>(chord % 12) + 12) % 12 % 4 < 2 && (chord >> stop % 16 & 3) != 0;
  const float wind = 0.9F + 0.1F * __sinf(0.7F * static_cast<float>(block) + static_cast<float>(stop));
  own.phase += own.step * static_cast<unsigned>(kSamples);
  own.loud = own.louder;
  own.louder = 0.6F * own.loud + (pressed ? 0.4F * wind : 0.002F * wind);
  voices[pipe] = own;
}

// The sum of sines of multiples of an angle, by Clenshaw's recurrence.
__device__ float harmonics_at(float sine, float cosine, float4 low, float4 high) {
  const float two = 2 * cosine;
  float last = high.w, own = high.z + two * last;
  const auto next = [&](float weight) {
    const float found = weight + two * own - last;
    last = own;
    own = found;
  };
  next(high.y);
  next(high.x);
  next(low.w);
  next(low.z);
  next(low.y);
  next(low.x);
  return own * sine;
}

// A block has 1024 samples of a group of pipes; its tables come by tiles.
__global__ void __launch_bounds__(kThreads)
    sound(float* __restrict__ parts, const Voice* __restrict__ voices, const float4* __restrict__ tones) {
  __shared__ Voice own_voices[kTile];
  __shared__ float4 own_tones[2 * kTile];
  const auto thread = static_cast<int>(threadIdx.x), group = static_cast<int>(blockIdx.y);
  const int first = static_cast<int>(blockIdx.x) * kChunk + thread;
  float sums[kOfThread] = {};
  for (int tile = group * kOfGroup; tile < (group + 1) * kOfGroup; tile += kTile) {
    if (thread < kTile) own_voices[thread] = voices[tile + thread];
    own_tones[thread] = tones[2 * tile + thread];
    __syncthreads();
    for (int pipe = 0; pipe < kTile; ++pipe) {
      const Voice voice = own_voices[pipe];
      const float4 low = own_tones[2 * pipe], high = own_tones[2 * pipe + 1];
      const float slope = (voice.louder - voice.loud) / kSamples;
#pragma unroll
      for (int i = 0; i < kOfThread; ++i) {
        const int sample = first + i * kThreads;
        const unsigned phase = voice.phase + voice.step * static_cast<unsigned>(sample);
        const float angle = static_cast<float>(static_cast<int>(phase)) * (kPi / 2147483648.0F);
        float sine = 0, cosine = 0;
        __sincosf(angle, &sine, &cosine);
        const float loud = voice.loud + slope * static_cast<float>(sample);
        sums[i] += loud * harmonics_at(sine, cosine, low, high);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kOfThread; ++i) parts[group * kSamples + first + i * kThreads] = sums[i];
}

// All groups together, beside the sound of before.
__global__ void __launch_bounds__(kThreads)
    join(float* __restrict__ ring, const float* __restrict__ parts, int begin) {
  const auto sample = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  float sum = 0;
#pragma unroll
  for (int group = 0; group < kGroups; ++group) sum += parts[group * kSamples + sample];
  ring[begin + sample] = sum;
}

__device__ short loud_of(float sound) {
  const float soft = sound / (1 + fabsf(sound));
  return static_cast<short>(__float2int_rn(32767 * soft));
}

// What comes directly, and the echoes of the walls.
__global__ void __launch_bounds__(kThreads)
    listen(short2* __restrict__ made, const float* __restrict__ ring, int begin) {
  const auto sample = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int now = begin + sample;
  const float direct = ring[now];
  float left = direct, right = direct;
#pragma unroll 8
  for (int i = 0; i < kEchoes; ++i) {
    const Echo echo = echoes[i];
    left += echo.left_gain * ring[(now - echo.left + kRing) % kRing];
    right += echo.right_gain * ring[(now - echo.right + kRing) % kRing];
  }
  constexpr float kMaster = 0.02F;
  made[sample] = make_short2(loud_of(kMaster * left), loud_of(kMaster * right));
}

// Notes of a tempered scale; stops differ in their octave and are a little out of tune.
__global__ void __launch_bounds__(kThreads) build(Voice* voices, float4* tones) {
  const auto pipe = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int note = pipe % 64, stop = pipe / 64;
  const float tuned = 1 + 0.002F * (mixed_fraction(static_cast<unsigned>(pipe)) - 0.5F);
  const float pitch = 32.7F * exp2f(static_cast<float>(note) / 12 + static_cast<float>(stop % 3)) * tuned;
  const auto step = static_cast<unsigned>(pitch / kRate * 4294967296.0F);
  voices[pipe] = {mixed_bits(static_cast<unsigned>(pipe) + 5), step, 0.01F, 0.01F};
  float weights[kHarmonics];
#pragma unroll
  for (int i = 0; i < kHarmonics; ++i) {
    const auto order = static_cast<float>(i + 1);
    const bool odd = i % 2 == 0;
    const bool heard = pitch * order < 0.45F * kRate;
    const float flute = odd ? 1 / (order * order) : 0, reed = 1 / order,
                string = (odd ? 0.7F : 1) / sqrtf(order);
    const float kind = stop % 4 == 0   ? flute
                       : stop % 4 == 1 ? reed
                       : stop % 4 == 2 ? string
                                       : 1 / (order * order);
    weights[i] = heard ? kind : 0;
  }
  tones[2 * pipe] = make_float4(weights[0], weights[1], weights[2], weights[3]);
  tones[2 * pipe + 1] = make_float4(weights[4], weights[5], weights[6], weights[7]);
}

void upload_church() {
  Echo table[kEchoes];
  for (int i = 0; i < kEchoes; ++i) {
    const float late = 700 + 1900 * static_cast<float>(i);
    const auto seed = static_cast<unsigned>(i);
    table[i] = {static_cast<int>(late + 1500 * mixed_fraction(seed)),
                static_cast<int>(late + 1500 * mixed_fraction(seed + 500)), 0.5F * std::exp(-late / 40000),
                0.5F * std::exp(-late / 38000)};
  }
  CHECK(cudaMemcpyToSymbol(echoes, table, sizeof table));
}

// What the recorder takes.
double taken(const short2* host) {
  double sum = 0;
  for (int sample = 0; sample < kSamples; sample += 16)
    sum += std::abs(host[sample].x) + std::abs(host[sample].y);
  return sum;
}

void next_block(Organ& organ) {
  const int block = organ.block++, begin = block % (kRing / kSamples) * kSamples;
  Slot& slot = organ.slots[block % kSlots];
  CHECK(cudaEventSynchronize(slot.done));
  if (block >= kSlots) organ.heard += taken(slot.host);
  play<<<kPipes / kThreads, kThreads, 0, organ.work>>>(organ.voices, block);
  sound<<<dim3(kSamples / kChunk, kGroups), kThreads, 0, organ.work>>>(organ.parts, organ.voices,
                                                                       organ.tones);
  join<<<kSamples / kThreads, kThreads, 0, organ.work>>>(organ.ring, organ.parts, begin);
  listen<<<kSamples / kThreads, kThreads, 0, organ.work>>>(slot.made, organ.ring, begin);
  CHECK(cudaEventRecord(slot.worked, organ.work));
  CHECK(cudaStreamWaitEvent(organ.copies, slot.worked, 0));
  CHECK(
      cudaMemcpyAsync(slot.host, slot.made, kSamples * sizeof(short2), cudaMemcpyDeviceToHost, organ.copies));
  CHECK(cudaEventRecord(slot.done, organ.copies));
}

Case make() {
  const auto organ = std::make_shared<Organ>();
  upload_church();
  organ->voices = device_array<Voice>(kPipes);
  organ->tones = device_array<float4>(2 * kPipes);
  organ->parts = device_array<float>(kGroups * kSamples);
  organ->ring = device_array<float>(kRing);
  CHECK(cudaMemset(organ->ring, 0, kRing * sizeof(float)));
  build<<<kPipes / kThreads, kThreads>>>(organ->voices, organ->tones);
  for (Slot& slot : organ->slots) {
    slot.made = device_array<short2>(kSamples);
    slot.host = pinned_array<short2>(kSamples);
    for (cudaEvent_t* event : {&slot.worked, &slot.done})
      CHECK(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
  }
  for (cudaStream_t* stream : {&organ->work, &organ->copies})
    CHECK(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
  const auto round = [=] {
    for (int i = 0; i < kBlocksOfRound; ++i) next_block(*organ);
  };
  const auto sum = [=] { return organ->heard; };
  return {round, sum, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
