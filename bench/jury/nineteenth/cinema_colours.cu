// Gives film that was scanned to words of three times ten bits the colours of a cinema: light from densities,
// a matrix of dyes, a glow around bright places, and curves of the print film, of which each colour has one
// with 513 nodes. The brightness of tiles is followed, too. A picture of 4096 x 2160 pixels a round.
// At fault: the curves lie in constant memory, and lanes look up nodes of their own, which the constant cache
// gives one after the other; from global memory, through L1, near nodes come at once. The pattern is that of
// JustVugg/colibri, pull request 935: a table moved out of constant memory, 8.4 s become 1.6, and
// ahrefs/ocannl, issue 195.
#include <cuda_fp16.h>
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kWide = 4096, kHigh = 2160, kPixels = kWide * kHigh, kPictures = 6, kThreads = 256;
constexpr int kWarps = kThreads / 32, kSteps = 512, kNodes = kSteps + 1, kTile = 16, kRounds = 18000;
constexpr int kTilesWide = kWide / kTile, kTiles = kTilesWide * (kHigh / kTile), kMeasureEvery = 4;
constexpr unsigned kTenBits = 1023, kMask = 0xffffffffU;

// Of a film: what each dye lets through of each light, and how much a bright place glows.
struct Look {
  float dyes[3][3], glow;
};

// How light becomes a density of the print, for each colour.
struct PrintCurves {
  float nodes[3][kNodes];
};

__constant__ Look kept_look;
__constant__ PrintCurves kept_curves;

struct KeptCurves {
  __device__ float operator()(int colour, int node) const {
    return kept_curves.nodes[colour][node];
  }  // fault
};

struct StoredCurves {
  const PrintCurves* curves;

  __device__ float operator()(int colour, int node) const { return __ldg(&curves->nodes[colour][node]); }
};

// Four numbers of 16 bits.
struct alignas(8) Light {
  __half2 red_green, blue_all;
};

__device__ Light to_light(float red, float green, float blue) {
  return {__floats2half2_rn(red, green), __floats2half2_rn(blue, 0.25F * red + 0.6F * green + 0.15F * blue)};
}

__device__ float from_density(unsigned code) {
  return exp2f((static_cast<float>(code) - 900) * (1.0F / 96));
}

__global__ void __launch_bounds__(kThreads)
    take_light(Light* __restrict__ lights, const unsigned* __restrict__ scan) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const unsigned word = scan[i];
  const float film[3] = {from_density(word >> 20 & kTenBits), from_density(word >> 10 & kTenBits),
                         from_density(word & kTenBits)};
  float mixed[3];
  for (int colour = 0; colour < 3; ++colour) {
    const float* dyes = kept_look.dyes[colour];
    mixed[colour] = fmaxf(dyes[0] * film[0] + dyes[1] * film[1] + dyes[2] * film[2], 0);
  }
  lights[i] = to_light(mixed[0], mixed[1], mixed[2]);
}

// A pixel and its eight neighbours, where the picture ends the last one again.
__global__ void __launch_bounds__(kThreads)
    add_glow(Light* __restrict__ glowing, const Light* __restrict__ lights) {
  const auto column = static_cast<int>(blockIdx.x * kThreads + threadIdx.x),
             row = static_cast<int>(blockIdx.y);
  float red = 0, green = 0, blue = 0;
#pragma unroll
  for (int y = -1; y <= 1; ++y) {
    const Light* line = lights + min(max(row + y, 0), kHigh - 1) * kWide;
#pragma unroll
    for (int x = -1; x <= 1; ++x) {
      const Light near = line[min(max(column + x, 0), kWide - 1)];
      const float2 red_green = __half22float2(near.red_green), blue_all = __half22float2(near.blue_all);
      const bool own = x == 0 && y == 0;
      const float bright = blue_all.y * blue_all.y, glow = kept_look.glow * bright / (1 + bright) / 8;
      const float share = own ? 1.0F : glow;
      red += share * red_green.x;
      green += share * red_green.y;
      blue += share * blue_all.x;
    }
  }
  glowing[row * kWide + column] = to_light(red, green, blue);
}

template <class Curves>
__device__ unsigned developed(float light, int colour, Curves curves) {
  const float place = __saturatef((log2f(light + 1e-4F) + 10) * (1.0F / 12)) * (kSteps - 0.01F);
  const int node = static_cast<int>(place);
  const float low = curves(colour, node), high = curves(colour, node + 1);
  return __float2uint_rn(low + (place - static_cast<float>(node)) * (high - low));
}

template <class Curves>
__global__ void __launch_bounds__(kThreads)
    print_film(unsigned* __restrict__ print, const Light* __restrict__ glowing, Curves curves) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const Light light = glowing[i];
  const float2 red_green = __half22float2(light.red_green), blue_all = __half22float2(light.blue_all);
  print[i] = developed(red_green.x, 0, curves) << 20 | developed(red_green.y, 1, curves) << 10 |
             developed(blue_all.x, 2, curves);
}

// A warp has a tile, and reads two rows of it at once.
__global__ void __launch_bounds__(kThreads)
    measure_tiles(float* __restrict__ brightness, const unsigned* __restrict__ print) {
  const auto tile = static_cast<int>((blockIdx.x * kThreads + threadIdx.x) / 32),
             lane = static_cast<int>(threadIdx.x % 32);
  const int column = tile % kTilesWide * kTile + lane % kTile,
            first = tile / kTilesWide * kTile + lane / kTile;
  unsigned sum = 0;
#pragma unroll
  for (int row = 0; row < kTile; row += 2) sum += print[(first + row) * kWide + column] >> 10 & kTenBits;
  sum = __reduce_add_sync(kMask, sum);
  if (lane == 0) brightness[tile] = 0.75F * brightness[tile] + static_cast<float>(sum) / (kTile * kTile);
}

// A scene of soft shapes, and the grain of the film.
__global__ void __launch_bounds__(kThreads) scan_film(unsigned* scan, int picture) {
  const auto column = static_cast<int>(blockIdx.x * kThreads + threadIdx.x),
             row = static_cast<int>(blockIdx.y);
  const float x = static_cast<float>(column) * 0.003F + static_cast<float>(picture) * 0.05F,
              y = static_cast<float>(row) * 0.004F;
  const float shapes[3] = {__sinf(x) * __cosf(y), __sinf(1.3F * x + 1) * __cosf(0.7F * y),
                           __cosf(0.8F * x - y)};
  unsigned word = 0;
  for (int colour = 0; colour < 3; ++colour) {
    const auto place = static_cast<unsigned>((picture * 3 + colour) * kPixels + row * kWide + column);
    const float grain = mixed_fraction(place) + mixed_fraction(~place) - 1;
    word = word << 10 | static_cast<unsigned>(560 + 300 * shapes[colour] + 12 * grain);
  }
  scan[row * kWide + column] = word;
}

struct Cinema {
  unsigned *scans, *print;
  Light *lights, *glowing;
  PrintCurves* curves;
  float* brightness;
  int picture;
};

template <class Curves>
void make_print(Cinema& cinema, Curves curves) {
  const unsigned* scan =
      cinema.scans + std::size_t{kPixels} * static_cast<std::size_t>(cinema.picture % kPictures);
  take_light<<<kPixels / kThreads, kThreads>>>(cinema.lights, scan);
  add_glow<<<dim3(kWide / kThreads, kHigh), kThreads>>>(cinema.glowing, cinema.lights);
  print_film<<<kPixels / kThreads, kThreads>>>(cinema.print, cinema.glowing, curves);
  if (++cinema.picture % kMeasureEvery == 0)
    measure_tiles<<<kTiles / kWarps, kThreads>>>(cinema.brightness, cinema.print);
}

// The curves of a print are steep in the middle and flat at both ends.
void prepare(const Cinema& cinema) {
  const Look look = {{{1.1F, -0.07F, -0.03F}, {-0.05F, 1.12F, -0.07F}, {-0.02F, -0.1F, 1.12F}}, 0.5F};
  CHECK(cudaMemcpyToSymbol(kept_look, &look, sizeof(look)));
  auto* curves = pinned_array<PrintCurves>(1);
  for (int colour = 0; colour < 3; ++colour) {
    for (int node = 0; node < kNodes; ++node) {
      const float light = 12 * static_cast<float>(node) / kSteps - 7 - 0.2F * static_cast<float>(colour);
      curves->nodes[colour][node] = 1000 / (1 + std::exp(-0.9F * light));
    }
  }
  CHECK(cudaMemcpyToSymbol(kept_curves, curves, sizeof(PrintCurves)));
  CHECK(cudaMemcpy(cinema.curves, curves, sizeof(PrintCurves), cudaMemcpyHostToDevice));
  CHECK(cudaFreeHost(curves));
  for (int picture = 0; picture < kPictures; ++picture)
    scan_film<<<dim3(kWide / kThreads, kHigh), kThreads>>>(
        cinema.scans + std::size_t{kPixels} * static_cast<std::size_t>(picture), picture);
  CHECK(cudaMemset(cinema.brightness, 0, kTiles * sizeof(float)));
  CHECK(cudaGetLastError());
}

Case make(bool stored) {
  const auto cinema = std::make_shared<Cinema>();
  *cinema = {device_array<unsigned>(std::size_t{kPictures} * kPixels),
             device_array<unsigned>(kPixels),
             device_array<Light>(kPixels),
             device_array<Light>(kPixels),
             device_array<PrintCurves>(1),
             device_array<float>(kTiles),
             0};
  prepare(*cinema);
  return {[=] {
            if (stored) {
              make_print(*cinema, StoredCurves{cinema->curves});
            } else {
              make_print(*cinema, KeptCurves{});
            }
          },
          [=] { return device_sum(cinema->brightness, kTiles) + 1e-9 * device_sum(cinema->print, kPixels); },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(false); }, [] { return make(true); });
}
