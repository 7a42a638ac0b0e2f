// Follows living cells in a film of a microscope: 4096 x 4096 pixels of 8 bits, of which a background and its
// usual change are tracked in steps of one; what differs more is moving, pixels on their own are dropped, and
// moving pixels and their light are counted for tiles of 64 x 64 pixels. A frame of sixteen a round.
// At fault: each thread has one pixel, so a warp loads and stores 32 bytes at a time; four pixels a thread
// make words of 32 bits. The pattern is that of NVIDIA/DALI, pull request 3568: stores of single bytes put
// together, up to 40 % more throughput, and meta-pytorch/torchcodec, pull request 1459: several pixels a
// thread.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kWide = 4096, kHigh = 4096, kPixels = kWide * kHigh, kFrames = 16, kTile = 64, kRounds = 24000;
constexpr int kTilesWide = kWide / kTile, kTiles = kTilesWide * (kHigh / kTile), kThreads = 256;
constexpr int kMajority = 5, kLine = kWide / 4, kWarps = kThreads / 32;
constexpr unsigned kMask = 0xffffffffU, kOnes = 0x01010101U;

using Byte = unsigned char;

struct Model {
  Byte *background, *change, *moving, *kept;
};

// Whether a pixel moves; its background and usual change follow it.
__device__ unsigned follow(unsigned pixel, unsigned& background, unsigned& change) {
  background += static_cast<unsigned>(pixel > background) - static_cast<unsigned>(pixel < background);
  const unsigned off = pixel > background ? pixel - background : background - pixel,
                 twice = min(2 * off, 255U);
  if (off != 0)
    change += static_cast<unsigned>(change < twice) - static_cast<unsigned>(change > max(twice, 2U));
  return off > change ? 1 : 0;
}

__global__ void __launch_bounds__(kThreads) find_moving_bytes(Model model, const Byte* __restrict__ frame) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  unsigned background = model.background[i], change = model.change[i];        // fault
  model.moving[i] = static_cast<Byte>(follow(frame[i], background, change));  // fault
  model.background[i] = static_cast<Byte>(background);                        // fault
  model.change[i] = static_cast<Byte>(change);                                // fault
}

__global__ void __launch_bounds__(kThreads)
    find_moving(unsigned* __restrict__ moving, unsigned* __restrict__ backgrounds,
                unsigned* __restrict__ changes, const unsigned* __restrict__ frame) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const unsigned pixels = frame[i], before = backgrounds[i], changed = changes[i];
  unsigned found = 0, after = 0, changes_after = 0;
#pragma unroll
  for (int shift = 0; shift < 32; shift += 8) {
    unsigned background = before >> shift & 255, change = changed >> shift & 255;
    found |= follow(pixels >> shift & 255, background, change) << shift;
    after |= background << shift;
    changes_after |= change << shift;
  }
  moving[i] = found;
  backgrounds[i] = after;
  changes[i] = changes_after;
}

// Of the nine pixels around it, five must move. Beyond the edge it is as at the edge.
__global__ void __launch_bounds__(kThreads)
    drop_single_bytes(Byte* __restrict__ kept, const Byte* __restrict__ moving) {
  const auto x = static_cast<int>(blockIdx.x * kThreads + threadIdx.x), y = static_cast<int>(blockIdx.y);
  const int west = max(x - 1, 0), east = min(x + 1, kWide - 1);
  int sum = 0;
#pragma unroll
  for (int away = -1; away <= 1; ++away) {
    const Byte* row = moving + min(max(y + away, 0), kHigh - 1) * kWide;
    sum += row[west] + row[x] + row[east];  // fault
  }
  kept[y * kWide + x] = sum >= kMajority ? 1 : 0;  // fault
}

__global__ void __launch_bounds__(kThreads)
    drop_single(unsigned* __restrict__ kept, const unsigned* __restrict__ moving) {
  const auto x = static_cast<int>(blockIdx.x * kThreads + threadIdx.x), y = static_cast<int>(blockIdx.y);
  unsigned left = 0, own = 0, right = 0;
#pragma unroll
  for (int away = -1; away <= 1; ++away) {
    const unsigned* row = moving + min(max(y + away, 0), kHigh - 1) * kLine;
    left += row[max(x - 1, 0)];
    own += row[x];
    right += row[min(x + 1, kLine - 1)];
  }
  const unsigned before = x > 0 ? left >> 24 : own & 255,
                 after = x < kLine - 1 ? right << 24 : own & 255U << 24;
  const unsigned sums = own + (own << 8 | before) + (own >> 8 | after);
  kept[y * kLine + x] = (sums + kOnes * (128 - kMajority)) >> 7 & kOnes;
}

// How many pixels move in a tile, and their light.
struct Count {
  unsigned pixels, light;
};

__device__ void add_of_tile(unsigned long long* totals, Count own) {
  __shared__ Count warps[kWarps];
  own = {__reduce_add_sync(kMask, own.pixels), __reduce_add_sync(kMask, own.light)};
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = own;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int i = 1; i < kWarps; ++i) own = {own.pixels + warps[i].pixels, own.light + warps[i].light};
  totals[blockIdx.x] += (static_cast<unsigned long long>(own.pixels) << 10) + own.light;
}

// A block has a tile.
__global__ void __launch_bounds__(kThreads)
    count_tiles_bytes(unsigned long long* totals, const Byte* __restrict__ kept,
                      const Byte* __restrict__ frame) {
  const auto tile = static_cast<int>(blockIdx.x), thread = static_cast<int>(threadIdx.x);
  const int corner = tile / kTilesWide * kTile * kWide + tile % kTilesWide * kTile;
  Count own{};
  for (int i = thread; i < kTile * kTile; i += kThreads) {
    const int at = corner + i / kTile * kWide + i % kTile;
    own.pixels += kept[at];                                    // fault
    own.light += static_cast<unsigned>(kept[at] * frame[at]);  // fault
  }
  add_of_tile(totals, own);
}

__global__ void __launch_bounds__(kThreads)
    count_tiles(unsigned long long* totals, const unsigned* __restrict__ kept,
                const unsigned* __restrict__ frame) {
  constexpr int kAcross = kTile / 4;
  const auto tile = static_cast<int>(blockIdx.x), thread = static_cast<int>(threadIdx.x);
  const int corner = tile / kTilesWide * kTile * kLine + tile % kTilesWide * kAcross;
  Count own{};
  for (int i = thread; i < kTile * kAcross; i += kThreads) {
    const int at = corner + i / kAcross * kLine + i % kAcross;
    own.pixels = __dp4a(kept[at], kOnes, own.pixels);
    own.light = __dp4a(kept[at], frame[at], own.light);
  }
  add_of_tile(totals, own);
}

// Four pixels a thread. Cells of some size wander over a field that is lit unevenly.
__global__ void __launch_bounds__(kThreads) take_film(uchar4* film) {
  const auto i = blockIdx.x * kThreads + threadIdx.x, number = i / (kPixels / 4);
  Byte four[4];
  for (unsigned k = 0; k < 4; ++k) {
    const unsigned x = i % kLine * 4 + k, y = i / kLine % kHigh, from = x + 3 * number, down = y + 2 * number;
    const unsigned cell = mixed_bits(from / 24 * 8192 + down / 24), noise = mixed_bits(i * 4 + k) % 8;
    const bool inside = cell % 16 == 0 && from % 24 < 18 && down % 24 < 18;
    four[k] = static_cast<Byte>(60 + x / 64 + noise + (inside ? 20 + cell / 16 % 64 : 0));
  }
  film[i] = make_uchar4(four[0], four[1], four[2], four[3]);
}

struct Film {
  Byte* frames;
  Model model;
  unsigned long long* totals;
  int round;
};

unsigned* words(Byte* bytes) {
  return reinterpret_cast<unsigned*>(bytes);
}

void watch_bytes(const Film& film, const Byte* frame) {
  const Model& model = film.model;
  find_moving_bytes<<<kPixels / kThreads, kThreads>>>(model, frame);
  drop_single_bytes<<<dim3(kWide / kThreads, kHigh), kThreads>>>(model.kept, model.moving);
  count_tiles_bytes<<<kTiles, kThreads>>>(film.totals, model.kept, frame);
}

void watch(const Film& film, Byte* frame) {
  const Model& model = film.model;
  find_moving<<<kPixels / 4 / kThreads, kThreads>>>(words(model.moving), words(model.background),
                                                    words(model.change), words(frame));
  drop_single<<<dim3(kLine / kThreads, kHigh), kThreads>>>(words(model.kept), words(model.moving));
  count_tiles<<<kTiles, kThreads>>>(film.totals, words(model.kept), words(frame));
}

Case make(bool by_bytes) {
  const auto film = std::make_shared<Film>();
  *film = {device_array<Byte>(std::size_t{kFrames} * kPixels),
           {device_array<Byte>(kPixels), device_array<Byte>(kPixels), device_array<Byte>(kPixels),
            device_array<Byte>(kPixels)},
           device_array<unsigned long long>(kTiles),
           0};
  take_film<<<kFrames*(kPixels / 4 / kThreads), kThreads>>>(reinterpret_cast<uchar4*>(film->frames));
  CHECK(cudaGetLastError());
  CHECK(cudaMemset(film->model.background, 100, kPixels));
  CHECK(cudaMemset(film->model.change, 8, kPixels));
  CHECK(cudaMemset(film->totals, 0, kTiles * sizeof(unsigned long long)));
  return {[=] {
            Byte* frame = film->frames + std::size_t{kPixels} * (film->round++ % kFrames);
            by_bytes ? watch_bytes(*film, frame) : watch(*film, frame);
          },
          [=] { return device_sum(film->totals, kTiles); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
