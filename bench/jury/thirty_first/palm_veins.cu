// A gate that opens for palms: photographs of palms by infrared light become codes of two bits and a mask for
// each of 1024 points (Gabor filters), and each code is compared with those of half a million enrolled palms.
// A round is a rush of 256 travellers.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kPalms = 1 << 19, kSide = 136, kPixels = kSide * kSide, kThreads = 256, kWarps = kThreads / 32;
constexpr int kGrid = 32, kWords = 96, kChunks = kWords / 4, kMasks = 8;  // of a code, in uint4
constexpr int kReach = 4, kTaps = 2 * kReach + 1, kVeins = 6;
constexpr int kTravellers = 256, kEnrolled = 4096, kRounds = 250;
constexpr unsigned kMask = 0xffffffffU, kGolden = 2654435761U, kWorst = 4095;
constexpr int kPalmBits = 20;

struct Filter {
  float2 taps[kTaps * kTaps];
};

__constant__ Filter filter;

struct Gate {
  uint4 *gallery, *probes;  // chunk after chunk, and within a chunk palm after palm
  unsigned char* photographs;
  unsigned *nearest, *people;
  float* state;  // a limit, how near owners are, how many were let in, how many were not
  cudaStream_t stream;
  unsigned rush = 0;
};

struct Vein {
  float across, along, bend, phase;
};

__device__ Vein vein_of(unsigned person, int number) {
  const unsigned bits = mixed_bits(person * 8 + static_cast<unsigned>(number));
  const float angle = 3.1415927F * static_cast<float>(bits & 0xff) / 256;
  const float thin = 0.15F + 0.35F * static_cast<float>(bits >> 8 & 0xff) / 256;
  return {thin * __cosf(angle), thin * __sinf(angle), 3 * static_cast<float>(bits >> 16 & 0xff) / 256,
          6.2831853F * static_cast<float>(bits >> 24) / 256};
}

// A block photographs a palm. Everybody holds it a bit differently each time, and skin shines somewhere.
__global__ void __launch_bounds__(kThreads)
    photograph(uchar4* __restrict__ photographs, const unsigned* __restrict__ people, unsigned first,
               unsigned rush) {
  __shared__ Vein veins[kVeins];
  const unsigned person = people != nullptr ? people[blockIdx.x] : first + blockIdx.x;
  const unsigned visit = mixed_bits(person ^ rush * kGolden);
  if (threadIdx.x < kVeins) veins[threadIdx.x] = vein_of(person, static_cast<int>(threadIdx.x));
  __syncthreads();
  const float right = rush == 0 ? 0 : 0.8F * (static_cast<float>(visit & 0xff) / 256 - 0.5F);
  const float down = rush == 0 ? 0 : 0.8F * (static_cast<float>(visit >> 8 & 0xff) / 256 - 0.5F);
  const float shine_x = static_cast<float>(visit >> 16 & 0x7f),
              shine_y = static_cast<float>(visit >> 23 & 0x7f);
  for (int quad = static_cast<int>(threadIdx.x); quad < kPixels / 4; quad += kThreads) {
    const int row = quad / (kSide / 4), column = quad % (kSide / 4) * 4;
    const float y = static_cast<float>(row) + down;
    unsigned noise = mixed_bits(visit + static_cast<unsigned>(quad));
    unsigned char four[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float x = static_cast<float>(column + i) + right;
      float dark = 0;
#pragma unroll
      for (const Vein& vein : veins)
        dark += __cosf(vein.across * x + vein.along * y + vein.bend * __sinf(0.03F * (x - y)) + vein.phase);
      const float away_x = x - shine_x, away_y = y - shine_y;
      const float shine = 200 * __expf(-0.01F * (away_x * away_x + away_y * away_y));
      const float value = 110 - 14 * dark + shine + 0.08F * static_cast<float>(noise & 0xff);
      four[i] = static_cast<unsigned char>(fminf(fmaxf(value, 0), 255));
      noise >>= 8;
    }
    photographs[static_cast<std::size_t>(blockIdx.x) * (kPixels / 4) + quad] =
        make_uchar4(four[0], four[1], four[2], four[3]);
  }
}

// A block has a palm, a warp a row of points at a time, and a lane a point. Bits say which signs both parts
// of the filtered picture have; the mask leaves out what shines and what is flat.
__global__ void __launch_bounds__(kThreads)
    encode(unsigned* __restrict__ codes, const uint4* __restrict__ photographs, int all, int first) {
  __shared__ uint4 tile[kPixels / 16];
  for (int i = static_cast<int>(threadIdx.x); i < kPixels / 16; i += kThreads)
    tile[i] = photographs[static_cast<std::size_t>(blockIdx.x) * (kPixels / 16) + i];
  __syncthreads();
  const auto* pixels = reinterpret_cast<const unsigned char*>(tile);
  const auto lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const std::size_t palm = static_cast<std::size_t>(first) + blockIdx.x;
  const auto word_at = [=](int word) {
    return codes + (static_cast<std::size_t>(word / 4) * all + palm) * 4 + word % 4;
  };
  for (int row = warp; row < kGrid; row += kWarps) {
    const unsigned char* corner = pixels + (4 * row + 2) * kSide + 4 * lane + 2;
    float even = 0, odd = 0;
#pragma unroll
    for (int y = 0; y < kTaps; ++y)
#pragma unroll
      for (int x = 0; x < kTaps; ++x) {
        const auto value = static_cast<float>(corner[y * kSide + x]);
        even += filter.taps[y * kTaps + x].x * value;
        odd += filter.taps[y * kTaps + x].y * value;
      }
    const bool usable = corner[kReach * kSide + kReach] < 235 && even * even + odd * odd > 4;
    const unsigned evens = __ballot_sync(kMask, even > 0), odds = __ballot_sync(kMask, odd > 0);
    const unsigned usables = __ballot_sync(kMask, usable);
    if (lane == 0) *word_at(row) = evens;
    if (lane == 1) *word_at(kGrid + row) = odds;
    if (lane == 2) *word_at(2 * kGrid + row) = usables;
  }
}

__device__ uint4 both_of(uint4 one, uint4 other) {
  return make_uint4(one.x & other.x, one.y & other.y, one.z & other.z, one.w & other.w);
}

__device__ uint4 apart_of(uint4 one, uint4 other, uint4 mask) {
  return make_uint4((one.x ^ other.x) & mask.x, (one.y ^ other.y) & mask.y, (one.z ^ other.z) & mask.z,
                    (one.w ^ other.w) & mask.w);
}

__device__ int bits_of(uint4 four) {
  return __popc(four.x) + __popc(four.y) + __popc(four.z) + __popc(four.w);
}

// A thread has an enrolled palm. The nearest one of a traveller is the least key: what part of the bits is
// different, and then which palm.
template <int kTogether>
__global__ void __launch_bounds__(kThreads)
    match(unsigned* __restrict__ nearest, const uint4* __restrict__ gallery, const uint4* __restrict__ probes,
          int first) {
  __shared__ uint4 own[kTogether][kChunks];
  __shared__ unsigned least[kTogether][kWarps];
  const auto thread = static_cast<int>(threadIdx.x), palm = static_cast<int>(blockIdx.x) * kThreads + thread;
  for (int i = thread; i < kTogether * kChunks; i += kThreads)
    own[i / kChunks][i % kChunks] = probes[i % kChunks * kTravellers + first + i / kChunks];
  __syncthreads();
  int apart[kTogether] = {}, usable[kTogether] = {};
  const uint4* codes = gallery + palm;
#pragma unroll 2
  for (int i = 0; i < kMasks; ++i) {
    const uint4 even = codes[static_cast<std::size_t>(i) * kPalms];               // fault
    const uint4 odd = codes[static_cast<std::size_t>(kMasks + i) * kPalms];       // fault
    const uint4 mask = codes[static_cast<std::size_t>(2 * kMasks + i) * kPalms];  // fault
#pragma unroll
    for (int k = 0; k < kTogether; ++k) {
      const uint4 both = both_of(mask, own[k][2 * kMasks + i]);
      usable[k] += bits_of(both);
      apart[k] += bits_of(apart_of(even, own[k][i], both)) + bits_of(apart_of(odd, own[k][kMasks + i], both));
    }
  }
#pragma unroll
  for (int k = 0; k < kTogether; ++k) {
    const auto part = static_cast<unsigned>(
        __fdividef(2047.5F * static_cast<float>(apart[k]), static_cast<float>(max(usable[k], 1))));
    const unsigned key = usable[k] < 256 ? kWorst : min(part, kWorst);
    const unsigned first_of_warp = __reduce_min_sync(kMask, key << kPalmBits | static_cast<unsigned>(palm));
    if (thread % 32 == 0) least[k][thread / 32] = first_of_warp;
  }
  __syncthreads();
  if (thread >= kTogether) return;
  unsigned key = least[thread][0];
#pragma unroll
  for (int warp = 1; warp < kWarps; ++warp) key = min(key, least[thread][warp]);
  atomicMin(nearest + first + thread, key);
}

// Seven of eight travellers are enrolled.
__global__ void __launch_bounds__(kTravellers) arrive(unsigned* people, unsigned* nearest, unsigned rush) {
  const unsigned bits = mixed_bits(threadIdx.x ^ rush * kGolden);
  people[threadIdx.x] = threadIdx.x % 8 == 0 ? kPalms + bits % kPalms : bits % kPalms;
  nearest[threadIdx.x] = kMask;
}

// The limit stays between owners and others.
__global__ void __launch_bounds__(kTravellers)
    open_gate(float* state, const unsigned* __restrict__ nearest, const unsigned* __restrict__ people) {
  __shared__ float parts[3][kTravellers / 32];
  const auto thread = static_cast<int>(threadIdx.x);
  const unsigned key = nearest[thread], palm = key & ((1U << kPalmBits) - 1);
  const auto part = static_cast<float>(key >> kPalmBits);
  const bool open = part < state[0], right = palm == people[thread];
  float sums[3] = {open ? part : 0, open ? 1.0F : 0, open && right ? 1.0F : 0};
#pragma unroll
  for (int i = 0; i < 3; ++i) {
    for (int far = 16; far > 0; far /= 2) sums[i] += __shfl_xor_sync(kMask, sums[i], far);
    if (thread % 32 == 0) parts[i][thread / 32] = sums[i];
  }
  __syncthreads();
  if (thread != 0) return;
  for (int i = 0; i < 3; ++i) {
    sums[i] = 0;
    for (const float sum : parts[i]) sums[i] += sum;
  }
  const float near = sums[0] / fmaxf(sums[1], 1);
  state[1] = 0.95F * state[1] + 0.05F * near;
  state[0] = 0.98F * state[0] + 0.02F * (0.5F * state[1] + 800);
  state[2] += sums[2];
  state[3] += kTravellers - sums[1];
}

Filter filter_of_veins() {
  Filter made;
  float2 mean = {0, 0};
  float all = 0;
  for (int i = 0; i < kTaps * kTaps; ++i) {
    const auto x = static_cast<float>(i % kTaps - kReach), y = static_cast<float>(i / kTaps - kReach);
    const float near = std::exp(-(x * x + y * y) / 9), turn = 0.55F * x + 0.3F * y;
    made.taps[i] = {near * std::cos(turn), near * std::sin(turn)};
    mean.x += made.taps[i].x;
    mean.y += made.taps[i].y;
    all += near;
  }
  for (int i = 0; i < kTaps * kTaps; ++i) {
    const auto x = static_cast<float>(i % kTaps - kReach), y = static_cast<float>(i / kTaps - kReach);
    const float near = std::exp(-(x * x + y * y) / 9) / all;
    made.taps[i].x -= near * mean.x;
    made.taps[i].y -= near * mean.y;
  }
  return made;
}

template <int kTogether>
void next_rush(Gate& gate) {
  const unsigned rush = ++gate.rush;
  arrive<<<1, kTravellers, 0, gate.stream>>>(gate.people, gate.nearest, rush);
  photograph<<<kTravellers, kThreads, 0, gate.stream>>>(reinterpret_cast<uchar4*>(gate.photographs),
                                                        gate.people, 0, rush);
  encode<<<kTravellers, kThreads, 0, gate.stream>>>(reinterpret_cast<unsigned*>(gate.probes),
                                                    reinterpret_cast<const uint4*>(gate.photographs),
                                                    kTravellers, 0);
  for (int first = 0; first < kTravellers; first += kTogether)          // fault
    match<kTogether><<<kPalms / kThreads, kThreads, 0, gate.stream>>>(  // fault
        gate.nearest, gate.gallery, gate.probes, first);                // fault
  open_gate<<<1, kTravellers, 0, gate.stream>>>(gate.state, gate.nearest, gate.people);
}

void enrol(Gate& gate) {
  const Filter made = filter_of_veins();
  CHECK(cudaMemcpyToSymbol(filter, &made, sizeof made));
  for (int first = 0; first < kPalms; first += kEnrolled) {
    photograph<<<kEnrolled, kThreads>>>(reinterpret_cast<uchar4*>(gate.photographs), nullptr,
                                        static_cast<unsigned>(first), 0);
    encode<<<kEnrolled, kThreads>>>(reinterpret_cast<unsigned*>(gate.gallery),
                                    reinterpret_cast<const uint4*>(gate.photographs), kPalms, first);
  }
}

template <int kTogether>
Case make() {
  const auto gate = std::make_shared<Gate>();
  gate->gallery = device_array<uint4>(static_cast<std::size_t>(kPalms) * kChunks);
  gate->probes = device_array<uint4>(kTravellers * kChunks);
  gate->photographs = device_array<unsigned char>(static_cast<std::size_t>(kEnrolled) * kPixels);
  for (unsigned** numbers : {&gate->nearest, &gate->people}) *numbers = device_array<unsigned>(kTravellers);
  gate->state = device_array<float>(4);
  const float state[4] = {900, 500, 0, 0};
  CHECK(cudaMemcpy(gate->state, state, sizeof state, cudaMemcpyHostToDevice));
  enrol(*gate);
  CHECK(cudaStreamCreateWithFlags(&gate->stream, cudaStreamNonBlocking));
  const auto round = [=] { next_rush<kTogether>(*gate); };
  const auto sum = [=] { return device_sum(gate->state, 4) + 1e-6 * device_sum(gate->nearest, kTravellers); };
  return {round, sum, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, make<1>, make<8>);
}
