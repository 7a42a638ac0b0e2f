// Makes pictures of a body from ultrasound: eight flat waves a picture, whose echoes reach 128 elements of a
// probe. Echoes are filtered, delayed and added for each of 131,072 pixels, and what is seen goes back to the
// host. Three pictures are under way in streams of their own. A picture a round.
// At fault: the kernel that compresses brightness is launched without a stream, that is into the default one,
// which waits for all other streams and lets them wait, so the next echoes are copied only when the picture
// is done; in the stream of its picture it disturbs nobody. The pattern is that of mtazzari/galario, issue
// 60: work in the default stream keeps copies from overlapping, and torch/cutorch, issue 216: with kernels in
// the default stream there is no overlap, however many other streams there are.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kElements = 128, kWaves = 8, kSamples = 1280, kTraces = kElements * kWaves, kSlots = 3;
constexpr int kColumns = 128, kDepth = 1024, kPixels = kColumns * kDepth, kParts = 2, kThreads = 256;
constexpr int kQuads = kSamples / 4, kOfPart = kElements / kParts, kTall = 32, kAbreast = kThreads / kTall;
constexpr int kNewTraces = 16, kLines = kPixels / 32, kRounds = 32000;
constexpr std::size_t kEchoes = std::size_t{kTraces} * kSamples;
constexpr unsigned kMask = 0xffffffffU;

// A picture on its way; `shown` still has the last one of the slot.
struct Slot {
  short* host_echoes;
  short4* echoes;
  float4* filtered;
  float *parts, *shown, *brightest, *host_shown;
  cudaStream_t stream;
};

// Four samples a thread, and a band of nine taps, which is the same both ways.
__global__ void __launch_bounds__(kThreads)
    filter_echoes(float4* __restrict__ filtered, const short4* __restrict__ echoes) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int quad = i % kQuads;
  const short4 none = make_short4(0, 0, 0, 0);
  const short4 before = quad > 0 ? echoes[i - 1] : none, own = echoes[i],
               after = quad < kQuads - 1 ? echoes[i + 1] : none;
  const float values[12] = {
      static_cast<float>(before.x), static_cast<float>(before.y), static_cast<float>(before.z),
      static_cast<float>(before.w), static_cast<float>(own.x),    static_cast<float>(own.y),
      static_cast<float>(own.z),    static_cast<float>(own.w),    static_cast<float>(after.x),
      static_cast<float>(after.y),  static_cast<float>(after.z),  static_cast<float>(after.w)};
  float sums[4];
#pragma unroll
  for (int k = 0; k < 4; ++k)
    sums[k] = 0.4F * values[k + 4] + 0.1F * (values[k + 3] + values[k + 5]) -
              0.25F * (values[k + 2] + values[k + 6]) - 0.1F * (values[k + 1] + values[k + 7]) +
              0.05F * (values[k] + values[k + 8]);
  filtered[i] = make_float4(sums[0], sums[1], sums[2], sums[3]);
}

// A block has 32 pixels in depth of eight columns, and a part of the elements. A sample is as far from the
// next one as two pixels, there and back.
__global__ void __launch_bounds__(kThreads)
    form_beams(float* __restrict__ parts, const float* __restrict__ filtered) {
  const auto deep = static_cast<int>(blockIdx.x * kTall + threadIdx.x % kTall),
             column = static_cast<int>(blockIdx.y * kAbreast + threadIdx.x / kTall);
  const int first = static_cast<int>(blockIdx.z) * kOfPart;
  const auto depth = static_cast<float>(deep), across = static_cast<float>(2 * column - kColumns);
  float there[kWaves];
#pragma unroll
  for (int wave = 0; wave < kWaves; ++wave) {
    const float tilt = 0.05F * (static_cast<float>(wave) - 0.5F * (kWaves - 1));
    there[wave] = 16 + 0.5F * (depth * (1 - 0.5F * tilt * tilt) + across * tilt);
  }
  float sum = 0;
#pragma unroll 2
  for (int element = first; element < first + kOfPart; ++element) {
    const auto aside = static_cast<float>(2 * (column - element));
    const float back = 0.5F * sqrtf(depth * depth + aside * aside);
    const float weight = 1 / (1 + 0.001F * fabsf(aside));
    const float* trace = filtered + element * kWaves * kSamples;
    float of_element = 0;
#pragma unroll
    for (int wave = 0; wave < kWaves; ++wave)
      of_element += trace[wave * kSamples + __float2int_rn(there[wave] + back)];
    sum += weight * of_element;
  }
  parts[static_cast<int>(blockIdx.z) * kPixels + column * kDepth + deep] = sum;
}

// Loud and quiet echoes are brought together, and pictures of a slot blend.
__global__ void __launch_bounds__(kThreads)
    compress_brightness(float* __restrict__ shown, const float* __restrict__ parts) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  float sum = 0;
#pragma unroll
  for (int part = 0; part < kParts; ++part) sum += parts[part * kPixels + i];
  shown[i] = 0.3F * shown[i] + 0.7F * __log2f(1 + fabsf(sum));
}

// A warp has 32 pixels in depth.
__global__ void __launch_bounds__(kThreads)
    find_brightest(float* __restrict__ brightest, const float* __restrict__ shown) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  float most = shown[i];
  for (int far = 16; far > 0; far /= 2) most = fmaxf(most, __shfl_xor_sync(kMask, most, far));
  if (threadIdx.x % 32 == 0) brightest[i / 32] += most;
}

struct Scanner {
  Slot slots[kSlots];
  int picture;
  double seen;
};

Slot new_slot() {
  Slot slot{};
  slot.host_echoes = pinned_array<short>(kEchoes);
  slot.echoes = device_array<short4>(kEchoes / 4);
  slot.filtered = device_array<float4>(kEchoes / 4);
  slot.parts = device_array<float>(std::size_t{kParts} * kPixels);
  slot.shown = device_array<float>(kPixels);
  slot.brightest = device_array<float>(kLines);
  slot.host_shown = pinned_array<float>(kPixels);
  CHECK(cudaStreamCreate(&slot.stream));
  CHECK(cudaMemset(slot.shown, 0, kPixels * sizeof(float)));
  CHECK(cudaMemset(slot.brightest, 0, kLines * sizeof(float)));
  for (std::size_t i = 0; i < kEchoes; ++i)
    slot.host_echoes[i] = static_cast<short>(mixed_bits(static_cast<unsigned>(i)) % 4001 - 2000);
  return slot;
}

// The physician looks at a line of the picture.
void look(Scanner& scanner, const Slot& slot, int picture) {
  CHECK(cudaStreamSynchronize(slot.stream));
  const float* line = slot.host_shown + picture % kColumns * kDepth;
  float most = 0;
  for (int i = 0; i < kDepth; ++i) most = std::max(most, line[i]);
  scanner.seen += most;
}

// Stands for the probe: some of the echoes change.
void listen(const Slot& slot, int picture) {
  short* traces = slot.host_echoes + picture % (kTraces / kNewTraces) * kNewTraces * kSamples;
  const auto change = static_cast<short>(picture * 37 % 1021);
  for (int i = 0; i < kNewTraces * kSamples; ++i) traces[i] = static_cast<short>(traces[i] ^ change);
}

void take_picture(Scanner& scanner, bool own_streams) {
  const int picture = scanner.picture++;
  const Slot& slot = scanner.slots[picture % kSlots];
  if (picture >= kSlots) look(scanner, slot, picture - kSlots);
  listen(slot, picture);
  CHECK(cudaMemcpyAsync(slot.echoes, slot.host_echoes, kEchoes * sizeof(short), cudaMemcpyHostToDevice,
                        slot.stream));
  filter_echoes<<<kEchoes / 4 / kThreads, kThreads, 0, slot.stream>>>(slot.filtered, slot.echoes);
  const auto* filtered = reinterpret_cast<const float*>(slot.filtered);
  const dim3 blocks(kDepth / kTall, kColumns / kAbreast, kParts);
  form_beams<<<blocks, kThreads, 0, slot.stream>>>(slot.parts, filtered);
  const cudaStream_t last = own_streams ? slot.stream : nullptr;  // fault
  compress_brightness<<<kPixels / kThreads, kThreads, 0, last>>>(slot.shown, slot.parts);
  find_brightest<<<kPixels / kThreads, kThreads, 0, slot.stream>>>(slot.brightest, slot.shown);
  CHECK(cudaMemcpyAsync(slot.host_shown, slot.shown, kPixels * sizeof(float), cudaMemcpyDeviceToHost,
                        slot.stream));
}

Case make(bool own_streams) {
  const auto scanner = std::make_shared<Scanner>();
  for (Slot& slot : scanner->slots) slot = new_slot();
  return {[=] { take_picture(*scanner, own_streams); },
          [=] {
            CHECK(cudaDeviceSynchronize());
            double sum = scanner->seen;
            for (const Slot& slot : scanner->slots) sum += 1e-3 * device_sum(slot.brightest, kLines);
            return sum;
          },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(false); }, [] { return make(true); });
}
