// Shows a film by a hologram: light that a modulator of 1920 x 1152 pixels sends out later becomes the
// picture. How the light of a picture spreads on its way is found by sums of 65 pixels along rows and then
// along columns, of which the phase is what the modulator must show, less how much its own pixels are off.
// Pictures come from the host. A picture a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kWide = 1920, kHigh = 1152, kPixels = kWide * kHigh, kReach = 32, kTaps = 2 * kReach + 1;
constexpr int kRowThreads = kWide / 4, kTileWide = 32, kTileHigh = 64, kThreads = 256, kOfThread = 8;
constexpr int kTileRows = kTileHigh + 2 * kReach, kWords = kTileWide / 4, kSlots = 4, kNewRows = 36;
constexpr int kMeasureEvery = 8, kRounds = 30000;
constexpr unsigned kMask = 0xffffffffU, kOnes = 0x01010101U;

// How light spreads from a pixel to its neighbours.
struct Spread {
  float real[kTaps], imaginary[kTaps];
};

__constant__ Spread kept_spread;

// A block has a row, and a thread four pixels of it. Beyond the edge it is dark.
__global__ void __launch_bounds__(kRowThreads)
    spread_rows(float4* __restrict__ real, float4* __restrict__ imaginary,
                const uchar4* __restrict__ picture) {
  constexpr int kEdge = kReach / 4;
  __shared__ float4 row[kRowThreads + 2 * kEdge];
  const auto thread = static_cast<int>(threadIdx.x);
  const int at = static_cast<int>(blockIdx.x) * kRowThreads + thread;
  const uchar4 pixels = picture[at];
  row[kEdge + thread] = make_float4(pixels.x, pixels.y, pixels.z, pixels.w);
  if (thread < 2 * kEdge) row[thread < kEdge ? thread : kRowThreads + thread] = make_float4(0, 0, 0, 0);
  __syncthreads();
  float near[kTaps + 3];
#pragma unroll
  for (int four = 0; four < (kTaps + 3) / 4; ++four) {
    const float4 next = row[thread + four];
    near[4 * four] = next.x;
    near[4 * four + 1] = next.y;
    near[4 * four + 2] = next.z;
    near[4 * four + 3] = next.w;
  }
  float sums[2][4]{};
#pragma unroll
  for (int tap = 0; tap < kTaps; ++tap) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      sums[0][i] += kept_spread.real[tap] * near[tap + i];
      sums[1][i] += kept_spread.imaginary[tap] * near[tap + i];
    }
  }
  real[at] = make_float4(sums[0][0], sums[0][1], sums[0][2], sums[0][3]);
  imaginary[at] = make_float4(sums[1][0], sums[1][1], sums[1][2], sums[1][3]);
}

// Parts of a turn as a byte, of which the modulator shows 256.
__device__ unsigned char level_of(float turns, unsigned short off) {
  const float shown = turns - static_cast<float>(off) * (1.0F / 65536);
  return static_cast<unsigned char>(static_cast<int>((shown - floorf(shown)) * 256) & 255);
}

// A block has a tile. Threads sum eight pixels of a column each, and then give levels to four of a row.
__global__ void __launch_bounds__(kThreads)
    shape_phases(uchar4* __restrict__ levels, const float* __restrict__ real,
                 const float* __restrict__ imaginary, const ushort4* __restrict__ offsets) {
  __shared__ float2 light[kTileRows][kTileWide];
  alignas(16) __shared__ float turns[kTileHigh][kTileWide];
  const auto lane = static_cast<int>(threadIdx.x % kTileWide),
             first = static_cast<int>(threadIdx.x / kTileWide);
  const int left = static_cast<int>(blockIdx.x) * kTileWide, top = static_cast<int>(blockIdx.y) * kTileHigh;
#pragma unroll 4
  for (int row = first; row < kTileRows; row += kThreads / kTileWide) {
    const int from = top - kReach + row, at = from * kWide + left + lane;
    const bool inside = from >= 0 && from < kHigh;
    light[row][lane] = inside ? make_float2(real[at], imaginary[at]) : make_float2(0, 0);
  }
  __syncthreads();
  float2 sums[kOfThread]{};
#pragma unroll
  for (int row = 0; row < kTaps + kOfThread - 1; ++row) {
    const float2 own = light[first * kOfThread + row][lane];
#pragma unroll
    for (int i = 0; i < kOfThread; ++i) {
      const int tap = row - i;
      if (tap < 0 || tap >= kTaps) continue;
      sums[i].x += kept_spread.real[tap] * own.x - kept_spread.imaginary[tap] * own.y;
      sums[i].y += kept_spread.real[tap] * own.y + kept_spread.imaginary[tap] * own.x;
    }
  }
#pragma unroll
  for (int i = 0; i < kOfThread; ++i)
    turns[first * kOfThread + i][lane] = atan2f(sums[i].y, sums[i].x) * (0.5F / 3.1415927F);
  __syncthreads();
  for (auto i = static_cast<int>(threadIdx.x); i < kTileHigh * kWords; i += kThreads) {
    const int row = i / kWords, word = i % kWords, at = ((top + row) * kWide + left) / 4 + word;
    const float4 own = *reinterpret_cast<const float4*>(&turns[row][word * 4]);
    const ushort4 off = offsets[at];
    levels[at] = make_uchar4(level_of(own.x, off.x), level_of(own.y, off.y), level_of(own.z, off.z),
                             level_of(own.w, off.w));
  }
}

// The mean level of each row. A block has a row. `means` are summed over pictures.
__global__ void __launch_bounds__(kRowThreads)
    measure_rows(double* __restrict__ means, const unsigned* __restrict__ levels) {
  __shared__ unsigned warps[kRowThreads / 32];
  const unsigned own = levels[blockIdx.x * kRowThreads + threadIdx.x];
  unsigned sum = __reduce_add_sync(kMask, __dp4a(own, kOnes, 0U));
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int i = 1; i < kRowThreads / 32; ++i) sum += warps[i];
  means[blockIdx.x] += static_cast<double>(sum) / kWide;
}

// What a picture needs on its way to the modulator.
struct Slot {
  unsigned char* host_picture;
  uchar4 *picture, *levels;
  ushort4* offsets;
  float4 *real, *imaginary;
  cudaEvent_t uploaded, shown;
};

struct Display {
  Slot slots[kSlots];
  unsigned short* host_offsets;
  double* means;
  cudaStream_t uploads, work;
  int picture;
};

cudaEvent_t new_event() {
  cudaEvent_t event = nullptr;
  CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  return event;
}

void upload_offsets(const Display& display, const Slot& slot) {
  CHECK(cudaMemcpyAsync(slot.offsets, display.host_offsets, kPixels * sizeof(unsigned short),  // fault
                        cudaMemcpyHostToDevice, display.uploads));
}

// Stands for the film: some rows of the picture change.
void read_film(const Slot& slot, int picture) {
  unsigned char* rows = slot.host_picture + picture / kSlots % (kHigh / kNewRows) * kNewRows * kWide;
  const auto change = static_cast<unsigned char>(picture * 37 % 251);
  for (int i = 0; i < kNewRows * kWide; ++i) rows[i] = static_cast<unsigned char>(rows[i] ^ change);
}

void show_picture(Display& display, bool with_offsets) {
  const int picture = display.picture++;
  const Slot& slot = display.slots[picture % kSlots];
  CHECK(cudaEventSynchronize(slot.uploaded));
  read_film(slot, picture);
  CHECK(cudaStreamWaitEvent(display.uploads, slot.shown, 0));
  CHECK(cudaMemcpyAsync(slot.picture, slot.host_picture, kPixels, cudaMemcpyHostToDevice, display.uploads));
  if (with_offsets) upload_offsets(display, slot);
  CHECK(cudaEventRecord(slot.uploaded, display.uploads));
  CHECK(cudaStreamWaitEvent(display.work, slot.uploaded, 0));
  spread_rows<<<kHigh, kRowThreads, 0, display.work>>>(slot.real, slot.imaginary, slot.picture);
  shape_phases<<<dim3(kWide / kTileWide, kHigh / kTileHigh), kThreads, 0, display.work>>>(
      slot.levels, reinterpret_cast<const float*>(slot.real), reinterpret_cast<const float*>(slot.imaginary),
      slot.offsets);
  if (display.picture % kMeasureEvery == 0)
    measure_rows<<<kHigh, kRowThreads, 0, display.work>>>(display.means,
                                                          reinterpret_cast<const unsigned*>(slot.levels));
  CHECK(cudaEventRecord(slot.shown, display.work));
}

// The offsets were measured when the modulator was made.
void set_up(Display& display, bool with_offsets) {
  auto* spread = pinned_array<Spread>(1);
  for (int tap = 0; tap < kTaps; ++tap) {
    const auto away = static_cast<float>(tap - kReach);
    const float fades = std::exp(-0.01F * away * away) / 6;
    spread->real[tap] = fades * std::cos(0.09F * away * away);
    spread->imaginary[tap] = fades * std::sin(0.09F * away * away);
  }
  CHECK(cudaMemcpyToSymbol(kept_spread, spread, sizeof(Spread)));
  CHECK(cudaFreeHost(spread));
  display.host_offsets = pinned_array<unsigned short>(kPixels);
  for (int i = 0; i < kPixels; ++i)
    display.host_offsets[i] = static_cast<unsigned short>(mixed_bits(static_cast<unsigned>(i)));
  display.means = device_array<double>(kHigh);
  CHECK(cudaMemset(display.means, 0, kHigh * sizeof(double)));
  for (cudaStream_t* stream : {&display.uploads, &display.work})
    CHECK(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
  auto* real = device_array<float4>(kPixels / 4);
  auto* imaginary = device_array<float4>(kPixels / 4);
  auto* offsets = with_offsets ? nullptr : device_array<ushort4>(kPixels / 4);
  for (Slot& slot : display.slots) {
    slot = {pinned_array<unsigned char>(kPixels),
            device_array<uchar4>(kPixels / 4),
            device_array<uchar4>(kPixels / 4),
            with_offsets ? device_array<ushort4>(kPixels / 4) : offsets,
            real,
            imaginary,
            new_event(),
            new_event()};
    for (int i = 0; i < kPixels; ++i)
      slot.host_picture[i] = static_cast<unsigned char>(mixed_bits(static_cast<unsigned>(i / 7)) % 256);
  }
  if (!with_offsets) upload_offsets(display, display.slots[0]);
}

Case make(bool with_offsets) {
  const auto display = std::make_shared<Display>();
  set_up(*display, with_offsets);
  return {[=] { show_picture(*display, with_offsets); },
          [=] { return 1e-3 * device_sum(display->means, kHigh); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
