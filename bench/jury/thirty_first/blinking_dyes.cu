// Super-resolution microscopy: dyes that blink in a cell are seen as blurred spots of 7 by 7 pixels, a tilted
// Gaussian is fitted to each of half a million spots (Levenberg and Marquardt), and what is found is drawn
// into a fine picture, freed of the drift of the stage. Three exposures a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kSpots = 1 << 19, kSide = 7, kPixels = kSide * kSide, kThreads = 128, kTurns = 10;
constexpr int kMost = 8, kPairs = kMost * (kMost + 1) / 2;
constexpr int kPicture = 2048, kParts = kSpots / kThreads, kExposuresOfRound = 3, kRounds = 340;
constexpr unsigned kMask = 0xffffffffU, kGolden = 2654435761U;

enum { kHeight, kX, kY, kThinX, kThinY, kGround, kTiltX, kTiltY };

struct Stage {
  float* pixels;  // pixel after pixel, and within a pixel spot after spot
  float* fits;    // so too for parameters
  unsigned* picture;
  float4 *parts, *drift;  // drift: where the stage is, what was corrected
  int parameters = kMost;
  cudaStream_t stream;
  unsigned exposure = 0;
};

struct Truth {
  float height, x, y, thin, ground;
};

__device__ Truth truth_of(unsigned spot, unsigned exposure, float4 drift) {
  const unsigned bits = mixed_bits(spot ^ exposure * kGolden), more = mixed_bits(bits + 1);
  return {60 + 120 * static_cast<float>(bits & 0xff) / 256,
          2.2F + 1.6F * static_cast<float>(bits >> 8 & 0xff) / 256 + drift.x,
          2.2F + 1.6F * static_cast<float>(bits >> 16 & 0xff) / 256 + drift.y,
          0.28F + 0.12F * static_cast<float>(bits >> 24) / 256,
          8 + 8 * static_cast<float>(more & 0xff) / 256};
}

// The camera counts photons, so noise grows with the root of the light.
__global__ void __launch_bounds__(kThreads)
    expose(float* __restrict__ pixels, const float4* __restrict__ drift, unsigned exposure) {
  const unsigned spot = blockIdx.x * kThreads + threadIdx.x;
  const Truth own = truth_of(spot, exposure, *drift);
  unsigned chance = mixed_bits(spot + exposure * 77);
#pragma unroll
  for (int i = 0; i < kPixels; ++i) {
    const float across = static_cast<float>(i % kSide) - own.x, down = static_cast<float>(i / kSide) - own.y;
    const float light = own.height * __expf(-own.thin * (across * across + down * down)) + own.ground +
                        0.2F * static_cast<float>(i % kSide);
    chance = chance * 1664525U + 1013904223U;
    const float noise = static_cast<float>(chance >> 16 & 0xff) + static_cast<float>(chance >> 24) - 255;
    pixels[static_cast<std::size_t>(i) * kSpots + spot] = light + 0.008F * noise * sqrtf(light);
  }
}

// How many parameters a model has: those of the Gaussian, or as the stage is set.
struct Gaussian {
  __device__ explicit Gaussian(int) {}
  static __device__ constexpr int parameters() { return kMost; }
};

struct AnyModel {
  int count;
  __device__ explicit AnyModel(int parameters) : count(parameters) {}
  __device__ int parameters() const { return count; }
};

__device__ constexpr int pair_at(int row, int column) {
  return row * (row + 1) / 2 + column;
}

// Factors of the lower triangle (L, D, and L turned), then both substitutions.
template <class Model>
__device__ void solve(const Model& model, float* triangle, float* right) {
#pragma unroll
  for (int row = 0; row < model.parameters(); ++row) {
#pragma unroll
    for (int column = 0; column < row; ++column) {
      float value = triangle[pair_at(row, column)];  // fault
#pragma unroll
      for (int k = 0; k < column; ++k)
        value -= triangle[pair_at(row, k)] * triangle[pair_at(column, k)] * triangle[pair_at(k, k)];  // fault
      triangle[pair_at(row, column)] = __fdividef(value, triangle[pair_at(column, column)]);          // fault
    }
    float middle = triangle[pair_at(row, row)];  // fault
#pragma unroll
    for (int k = 0; k < row; ++k) {
      middle -= triangle[pair_at(row, k)] * triangle[pair_at(row, k)] * triangle[pair_at(k, k)];  // fault
      right[row] -= triangle[pair_at(row, k)] * right[k];                                         // fault
    }
    triangle[pair_at(row, row)] = fmaxf(middle, 1e-6F);  // fault
  }
#pragma unroll
  for (int back = 0; back < model.parameters(); ++back) {
    const int row = model.parameters() - 1 - back;
    float value = __fdividef(right[row], triangle[pair_at(row, row)]);  // fault
#pragma unroll
    for (int k = row + 1; k < model.parameters(); ++k)
      value -= triangle[pair_at(k, row)] * right[k];  // fault
    right[row] = value;                               // fault
  }
}

struct Fit {
  float at[kMost];

  // Derivatives of the model, and what it says.
  __device__ float slopes(float* slope, float column, float row) const {
    const float across = column - at[kX], down = row - at[kY];
    const float shape = __expf(-at[kThinX] * across * across - at[kThinY] * down * down);
    const float light = at[kHeight] * shape;
    slope[kHeight] = shape;
    slope[kX] = 2 * light * at[kThinX] * across;
    slope[kY] = 2 * light * at[kThinY] * down;
    slope[kThinX] = -light * across * across;
    slope[kThinY] = -light * down * down;
    slope[kGround] = 1;
    slope[kTiltX] = column - kSide / 2;
    slope[kTiltY] = row - kSide / 2;
    return light + at[kGround] + at[kTiltX] * slope[kTiltX] + at[kTiltY] * slope[kTiltY];
  }

  __device__ void step(const float* by) {
#pragma unroll
    for (int i = 0; i < kMost; ++i) at[i] += by[i];
    at[kHeight] = fminf(fmaxf(at[kHeight], 1), 1000);
    at[kX] = fminf(fmaxf(at[kX], 0), kSide - 1);
    at[kY] = fminf(fmaxf(at[kY], 0), kSide - 1);
    at[kThinX] = fminf(fmaxf(at[kThinX], 0.05F), 1.5F);
    at[kThinY] = fminf(fmaxf(at[kThinY], 0.05F), 1.5F);
  }
};

// A thread fits a spot. Its pixels wait in shared memory.
template <class Model>
__global__ void __launch_bounds__(kThreads)
    fit_spots(float* __restrict__ fits, const float* __restrict__ pixels, int parameters) {
  __shared__ float seen[kPixels][kThreads];
  const Model model(parameters);
  const auto thread = static_cast<int>(threadIdx.x), spot = static_cast<int>(blockIdx.x) * kThreads + thread;
  float most = 0, least = 1e9F;
#pragma unroll
  for (int i = 0; i < kPixels; ++i) {
    const float value = pixels[static_cast<std::size_t>(i) * kSpots + spot];
    seen[i][thread] = value;
    most = fmaxf(most, value);
    least = fminf(least, value);
  }
  Fit fit = {{most - least, kSide / 2, kSide / 2, 0.3F, 0.3F, least, 0, 0}};
  for (int turn = 0; turn < kTurns; ++turn) {
    float triangle[kPairs] = {}, right[kMost] = {};  // fault
    for (int row = 0; row < kSide; ++row) {
#pragma unroll
      for (int column = 0; column < kSide; ++column) {
        float slope[kMost];
        const float light = fit.slopes(slope, static_cast<float>(column), static_cast<float>(row));
        const float rest = seen[row * kSide + column][thread] - light;
#pragma unroll
        for (int i = 0; i < kMost; ++i) {
          right[i] += slope[i] * rest;
#pragma unroll
          for (int k = 0; k <= i; ++k) triangle[pair_at(i, k)] += slope[i] * slope[k];
        }
      }
    }
#pragma unroll
    for (int i = 0; i < kMost; ++i) triangle[pair_at(i, i)] *= 1.02F;
    solve(model, triangle, right);  // fault
    fit.step(right);
  }
#pragma unroll
  for (int i = 0; i < kMost; ++i) fits[static_cast<std::size_t>(i) * kSpots + spot] = fit.at[i];
}

__device__ float4 sum_of(float4 one, float4 other) {
  return make_float4(one.x + other.x, one.y + other.y, one.z + other.z, one.w + other.w);
}

__device__ float4 block_sum(float4 sum) {
  __shared__ float4 warps[kThreads / 32];
  for (int far = 16; far > 0; far /= 2)
    sum = sum_of(sum, make_float4(__shfl_xor_sync(kMask, sum.x, far), __shfl_xor_sync(kMask, sum.y, far),
                                  __shfl_xor_sync(kMask, sum.z, far), __shfl_xor_sync(kMask, sum.w, far)));
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = warps[0];
#pragma unroll
  for (int warp = 1; warp < kThreads / 32; ++warp) sum = sum_of(sum, warps[warp]);
  return sum;
}

// Spots lie anywhere in the cell. Parts: how far they are from the middle of their pixels, how thin, how
// high.
__global__ void __launch_bounds__(kThreads)
    draw(unsigned* __restrict__ picture, float4* __restrict__ parts, const float* __restrict__ fits,
         const float4* __restrict__ drift) {
  const unsigned spot = blockIdx.x * kThreads + threadIdx.x;
  const auto fitted = [=](int which) { return fits[static_cast<std::size_t>(which) * kSpots + spot]; };
  const float height = fitted(kHeight), x = fitted(kX), y = fitted(kY),
              thin = fitted(kThinX) + fitted(kThinY);
  const unsigned place = mixed_bits(spot * 3 + 1);
  const auto column = static_cast<int>(place % (kPicture - 64)) + __float2int_rd(8 * (x - drift->z)) + 8;
  const auto row =
      static_cast<int>(place / kPicture % (kPicture - 64)) + __float2int_rd(8 * (y - drift->w)) + 8;
  if (height > 20 && height < 900 && thin < 2.5F && column >= 0 && column < kPicture && row >= 0 &&
      row < kPicture)
    atomicAdd(picture + row * kPicture + column, 1U);
  const float4 sum = block_sum(make_float4(x - kSide / 2, y - kSide / 2, thin, height));
  if (threadIdx.x == 0) parts[blockIdx.x] = sum;
}

// The stage drifts with the warmth of the room, and is corrected by what was found.
__global__ void __launch_bounds__(kThreads)
    follow_drift(float4* drift, const float4* __restrict__ parts, unsigned exposure) {
  float4 sum = make_float4(0, 0, 0, 0);
  for (int i = static_cast<int>(threadIdx.x); i < kParts; i += kThreads) sum = sum_of(sum, parts[i]);
  sum = block_sum(sum);
  if (threadIdx.x != 0) return;
  const float time = 0.02F * static_cast<float>(exposure);
  float4 own = drift[0];
  own.z = 0.7F * own.z + 0.3F * sum.x / kSpots;
  own.w = 0.7F * own.w + 0.3F * sum.y / kSpots;
  own.x = 0.4F * __sinf(time) - 0.2F * own.z;
  own.y = 0.3F * __cosf(0.7F * time) - 0.2F * own.w;
  drift[0] = own;
  const float4 all = drift[1];
  drift[1] = make_float4(0.99F * all.x + sum.z / kSpots, 0.99F * all.y + sum.w / kSpots, own.z, own.w);
}

template <class Model>
void next_exposure(Stage& stage) {
  const unsigned exposure = ++stage.exposure;
  expose<<<kParts, kThreads, 0, stage.stream>>>(stage.pixels, stage.drift, exposure);
  fit_spots<Model>
      <<<kParts, kThreads, 0, stage.stream>>>(stage.fits, stage.pixels, stage.parameters);  // fault
  draw<<<kParts, kThreads, 0, stage.stream>>>(stage.picture, stage.parts, stage.fits, stage.drift);
  follow_drift<<<1, kThreads, 0, stage.stream>>>(stage.drift, stage.parts, exposure);
}

template <class Model>
Case make() {
  const auto stage = std::make_shared<Stage>();
  stage->pixels = device_array<float>(static_cast<std::size_t>(kPixels) * kSpots);
  stage->fits = device_array<float>(static_cast<std::size_t>(kMost) * kSpots);
  stage->picture = device_array<unsigned>(kPicture * kPicture);
  stage->parts = device_array<float4>(kParts);
  stage->drift = device_array<float4>(2);
  CHECK(cudaMemset(stage->picture, 0, kPicture * kPicture * sizeof(unsigned)));
  CHECK(cudaMemset(stage->drift, 0, 2 * sizeof(float4)));
  CHECK(cudaStreamCreateWithFlags(&stage->stream, cudaStreamNonBlocking));
  const auto round = [=] {
    for (int i = 0; i < kExposuresOfRound; ++i) next_exposure<Model>(*stage);
  };
  const auto sum = [=] {
    return device_sum(stage->picture, kPicture * kPicture) * 1e-6 +
           device_sum(reinterpret_cast<const float*>(stage->drift), 8);
  };
  return {round, sum, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, make<AnyModel>, make<Gaussian>);
}
