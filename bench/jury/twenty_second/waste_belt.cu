// Sorts waste on a belt: a camera measures 64 bands of light for each of a million pixels, the light of the
// lamps is found from the whole picture, each pixel is compared with known plastics, and pixels of the same
// plastic are counted tile by tile for the air jets. A picture a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kWide = 1024, kHigh = 1024, kPixels = kWide * kHigh, kBands = 64, kPictures = 4, kThreads = 256;
constexpr int kPlastics = 4, kEach = 4, kGroups = kPixels / kEach / kThreads, kParts = 32, kTile = 32;
constexpr int kTilesWide = kWide / kTile, kTiles = kTilesWide * (kHigh / kTile), kRounds = 10000;
constexpr float kDarkest = 0.05F;
constexpr std::size_t kPicture = std::size_t{kPixels} * kBands;
constexpr unsigned kMask = 0xffffffffU;

// How much each plastic sends back of each band, scaled to a length of one.
__constant__ float spectra[kPlastics][kBands];

struct Belt {
  float *pictures, *parts, *lamps;
  float4* scores;
  uchar4* found;
  unsigned char* clear;
  int* counts;
  int picture;
};

__device__ float sum_of_block(float own) {
  __shared__ float warps[kThreads / 32];
  for (int far = 16; far > 0; far /= 2) own += __shfl_xor_sync(kMask, own, far);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = own;
  __syncthreads();
  float sum = 0;
  for (const float warp : warps) sum += warp;
  return sum;
}

// The mean of a part of a band's pixels. A block has a part.
__global__ void __launch_bounds__(kThreads)
    measure_bands(float* __restrict__ parts, const float4* __restrict__ picture) {
  constexpr int kPart = kPixels / 4 / kParts;
  const auto band = static_cast<int>(blockIdx.y), part = static_cast<int>(blockIdx.x);
  const float4* pixels = picture + static_cast<std::size_t>(band) * (kPixels / 4) + part * kPart;
  float sum = 0;
#pragma unroll 8
  for (int i = static_cast<int>(threadIdx.x); i < kPart; i += kThreads) {
    const float4 here = pixels[i];
    sum += here.x + here.y + here.z + here.w;
  }
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) parts[band * kParts + part] = sum / (4 * kPart);
}

// Follows the lamps slowly. A warp has a band.
__global__ void __launch_bounds__(kThreads)
    find_lamps(float* __restrict__ lamps, const float* __restrict__ parts) {
  const auto band = static_cast<int>((blockIdx.x * kThreads + threadIdx.x) / 32);
  float sum = parts[band * kParts + static_cast<int>(threadIdx.x % 32)];
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(kMask, sum, far);
  if (threadIdx.x % 32 == 0) lamps[band] += 0.2F * (sum / kParts - lamps[band]);
}

struct Likeness {
  float score;
  unsigned char plastic;

  __device__ void compare(float other_score, int other) {
    if (other_score <= score) return;
    score = other_score;
    plastic = static_cast<unsigned char>(other);
  }
};

// Compares pixels with some of the plastics, beginning with `first`. A thread has four pixels.
template <int kAtOnce>
__global__ void __launch_bounds__(kThreads)
    match_plastics(uchar4* __restrict__ found, float4* __restrict__ scores,
                   const float4* __restrict__ picture, const float* __restrict__ lamps, int first) {
  __shared__ float gains[kBands];
  if (threadIdx.x < kBands) gains[threadIdx.x] = 1 / fmaxf(lamps[threadIdx.x], kDarkest);
  __syncthreads();
  const auto group = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  float4 likeness[kAtOnce] = {}, length = make_float4(0, 0, 0, 0);
#pragma unroll 8
  for (int band = 0; band < kBands; ++band) {
    const float gain = gains[band];
    float4 light = picture[static_cast<std::size_t>(band) * (kPixels / 4) + group];  // fault
    light = make_float4(gain * light.x, gain * light.y, gain * light.z, gain * light.w);
    length.x += light.x * light.x;
    length.y += light.y * light.y;
    length.z += light.z * light.z;
    length.w += light.w * light.w;
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      const float known = spectra[first + i][band];
      likeness[i].x += known * light.x;
      likeness[i].y += known * light.y;
      likeness[i].z += known * light.z;
      likeness[i].w += known * light.w;
    }
  }
  const uchar4 before = first == 0 ? make_uchar4(0, 0, 0, 0) : found[group];
  const float4 best = first == 0 ? make_float4(-1, -1, -1, -1) : scores[group];
  Likeness x = {best.x, before.x}, y = {best.y, before.y}, z = {best.z, before.z}, w = {best.w, before.w};
#pragma unroll
  for (int i = 0; i < kAtOnce; ++i) {
    x.compare(likeness[i].x * rsqrtf(length.x + 1e-12F), first + i);
    y.compare(likeness[i].y * rsqrtf(length.y + 1e-12F), first + i);
    z.compare(likeness[i].z * rsqrtf(length.z + 1e-12F), first + i);
    w.compare(likeness[i].w * rsqrtf(length.w + 1e-12F), first + i);
  }
  found[group] = make_uchar4(x.plastic, y.plastic, z.plastic, w.plastic);
  scores[group] = make_float4(x.score, y.score, z.score, w.score);
}

// Takes the plastic of most of the nine pixels around. A thread has a pixel.
__global__ void __launch_bounds__(kThreads)
    clear_specks(unsigned char* __restrict__ clear, const unsigned char* __restrict__ found) {
  const auto pixel = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int column = pixel % kWide, row = pixel / kWide;
  unsigned votes = 0;  // a byte for each plastic
#pragma unroll
  for (int y = -1; y <= 1; ++y) {
#pragma unroll
    for (int x = -1; x <= 1; ++x) {
      const int at = min(max(row + y, 0), kHigh - 1) * kWide + min(max(column + x, 0), kWide - 1);
      votes += 1U << (8 * found[at]);
    }
  }
  unsigned most = 0;
  for (unsigned plastic = 1; plastic < kPlastics; ++plastic)
    if ((votes >> (8 * plastic) & 255) > (votes >> (8 * most) & 255)) most = plastic;
  clear[pixel] = static_cast<unsigned char>(most);
}

// How many pixels of a tile are of each plastic, over all pictures. A block has a tile.
__global__ void __launch_bounds__(kThreads)
    count_tiles(int* __restrict__ counts, const unsigned char* __restrict__ clear) {
  const int left = static_cast<int>(blockIdx.x) * kTile, top = static_cast<int>(blockIdx.y) * kTile;
  const auto lane = static_cast<int>(threadIdx.x % kTile), first = static_cast<int>(threadIdx.x / kTile);
  int own[kPlastics] = {};
  for (int row = first; row < kTile; row += kThreads / kTile) {
    const int plastic = clear[(top + row) * kWide + left + lane];
#pragma unroll
    for (int i = 0; i < kPlastics; ++i) own[i] += __syncthreads_count(plastic == i ? 1 : 0);
  }
  if (threadIdx.x != 0) return;
  const auto tile = static_cast<int>(blockIdx.y) * kTilesWide + static_cast<int>(blockIdx.x);
#pragma unroll
  for (int i = 0; i < kPlastics; ++i) counts[i * kTiles + tile] += own[i];
}

// Pieces of 16 x 16 pixels lie on the belt, each of a plastic, with some noise.
__global__ void __launch_bounds__(kThreads) fill_pictures(float* pictures) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  const auto pixel = static_cast<unsigned>(i % kPixels), band = static_cast<unsigned>(i / kPixels % kBands);
  const auto picture = static_cast<unsigned>(i / kPicture);
  const unsigned piece = pixel % kWide / 16 + pixel / kWide / 16 * (kWide / 16);
  const unsigned plastic = mixed_bits(piece + picture * 0x68bc21ebU) % kPlastics;
  const float lamp = 0.6F + 0.4F * __sinf(0.05F * static_cast<float>(band));
  const float noise = 0.3F * (mixed_fraction(static_cast<unsigned>(i) * 2654435761U) - 0.5F);
  pictures[i] = lamp * (8 * spectra[plastic][band] * (1 + noise));
}

void compare_one_by_one(const Belt& belt, const float4* picture) {
  for (int plastic = 0; plastic < kPlastics; ++plastic)
    match_plastics<1><<<kGroups, kThreads>>>(belt.found, belt.scores, picture, belt.lamps, plastic);  // fault
}

void compare_all(const Belt& belt, const float4* picture) {
  match_plastics<kPlastics><<<kGroups, kThreads>>>(belt.found, belt.scores, picture, belt.lamps, 0);
}

void sort_picture(Belt& belt, bool all_at_once) {
  const auto* picture = reinterpret_cast<const float4*>(
      belt.pictures + static_cast<std::size_t>(belt.picture++ % kPictures) * kPicture);
  measure_bands<<<dim3(kParts, kBands), kThreads>>>(belt.parts, picture);
  find_lamps<<<kBands * 32 / kThreads, kThreads>>>(belt.lamps, belt.parts);
  if (all_at_once)
    compare_all(belt, picture);
  else
    compare_one_by_one(belt, picture);
  clear_specks<<<kPixels / kThreads, kThreads>>>(belt.clear,
                                                 reinterpret_cast<const unsigned char*>(belt.found));
  count_tiles<<<dim3(kTilesWide, kHigh / kTile), kThreads>>>(belt.counts, belt.clear);
}

// Each plastic takes up light at some bands of its own.
void set_spectra() {
  float known[kPlastics][kBands];
  for (int plastic = 0; plastic < kPlastics; ++plastic) {
    double length = 0;
    for (int band = 0; band < kBands; ++band) {
      const double far = (band - 8.0 - 14.0 * plastic) / 4;
      known[plastic][band] = static_cast<float>(1 - 0.6 * std::exp(-far * far));
      length += known[plastic][band] * known[plastic][band];
    }
    for (float& value : known[plastic]) value = static_cast<float>(value / std::sqrt(length));
  }
  CHECK(cudaMemcpyToSymbol(spectra, known, sizeof(known)));
}

double total(const Belt& belt) {
  double sum = 0;
  for (int plastic = 0; plastic < kPlastics; ++plastic)
    sum += (plastic + 1) * device_sum(belt.counts + plastic * kTiles, kTiles);
  return 1e-3 * sum + device_sum(&belt.scores->x, kPixels);
}

Case make(bool all_at_once) {
  set_spectra();
  const auto belt = std::make_shared<Belt>();
  *belt = {device_array<float>(kPictures * kPicture),
           device_array<float>(kBands * kParts),
           device_array<float>(kBands),
           device_array<float4>(kPixels / kEach),
           device_array<uchar4>(kPixels / kEach),
           device_array<unsigned char>(kPixels),
           device_array<int>(kPlastics * kTiles),
           0};
  fill_pictures<<<static_cast<unsigned>(kPictures * kPicture / kThreads), kThreads>>>(belt->pictures);
  CHECK(cudaGetLastError());
  CHECK(cudaMemset(belt->lamps, 0, kBands * sizeof(float)));
  CHECK(cudaMemset(belt->counts, 0, kPlastics * kTiles * sizeof(int)));
  return {[=] { sort_picture(*belt, all_at_once); }, [=] { return total(*belt); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(false); }, [] { return make(true); });
}
