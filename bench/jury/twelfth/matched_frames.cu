// Finds how the pixels of a film of 512 x 256 features move from frame to frame: 64 channels are
// correlated with those at 81 places around each pixel, the scores are averaged in windows of 3 x 3
// pixels, the best place is refined between its neighbours, and the motion is smoothed by how sure it
// is.
// Nothing is at fault. The pattern is that of NVIDIA/flownet2-pytorch, pull request 90: sums of the
// correlation in registers. Here a thread has four pixels and nine places, and tiles of both frames are
// in shared memory.
#include <cuda_pipeline.h>
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kWide = 512, kHigh = 256, kPixels = kWide * kHigh, kChannels = 64, kFrames = 6, kRounds = 20000;
constexpr int kReach = 4, kSide = 2 * kReach + 1, kPlaces = kSide * kSide;
constexpr int kTileWide = 32, kTileHigh = 4, kDepth = 8, kLanes = 32, kQuads = kTileWide / 4;
constexpr int kNearWide = kTileWide + 2 * kReach, kNearHigh = kTileHigh + 2 * kReach;
constexpr int kNearQuads = kNearWide / 4, kThreads = kLanes * kSide;
constexpr int kSmoothWide = 32, kSmoothHigh = 8, kSmoothReach = 2;

// The motion to the right and down, and how sure it is.
struct Motion {
  float *right, *down, *sure;
};

struct Tiles {
  float4 own[kDepth][kTileHigh][kQuads];
  float4 near[kDepth][kNearHigh][kNearQuads];
};

// Channels are planes. Pixels outside of the frame are 0.
__device__ void stage(Tiles& tiles, const float* one, const float* other, int left, int top, int first) {
  const int thread = static_cast<int>(threadIdx.y * kLanes + threadIdx.x);
  for (int i = thread; i < kDepth * kTileHigh * kQuads; i += kThreads) {
    const int quad = i % kQuads, row = i / kQuads % kTileHigh, depth = i / kQuads / kTileHigh;
    const int from = (first + depth) * kPixels + (top + row) * kWide + left + 4 * quad;
    __pipeline_memcpy_async(&tiles.own[depth][row][quad], one + from, sizeof(float4));
  }
  for (int i = thread; i < kDepth * kNearHigh * kNearQuads; i += kThreads) {
    const int quad = i % kNearQuads, row = i / kNearQuads % kNearHigh, depth = i / kNearQuads / kNearHigh;
    const int x = left - kReach + 4 * quad, y = top - kReach + row;
    const bool inside = x >= 0 && x < kWide && y >= 0 && y < kHigh;
    const float* from = other + (first + depth) * kPixels + (inside ? y * kWide + x : 0);
    __pipeline_memcpy_async(&tiles.near[depth][row][quad], from, sizeof(float4), inside ? 0 : sizeof(float4));
  }
  __pipeline_commit();
}

// A warp has a tile of 32 x 4 pixels and places of one row, and a thread four pixels side by side. The next
// channels are under way meanwhile.
__global__ void __launch_bounds__(kThreads)
    correlate(float* __restrict__ scores, const float* __restrict__ one, const float* __restrict__ other) {
  __shared__ Tiles both[2];
  const int left = static_cast<int>(blockIdx.x) * kTileWide, top = static_cast<int>(blockIdx.y) * kTileHigh;
  const int quad = static_cast<int>(threadIdx.x) % kQuads, row = static_cast<int>(threadIdx.x) / kQuads;
  const int down = static_cast<int>(threadIdx.y);
  float sums[kSide][4] = {};
  stage(both[0], one, other, left, top, 0);
  for (int first = 0; first < kChannels; first += kDepth) {
    const int side = first / kDepth % 2;
    __pipeline_wait_prior(0);
    __syncthreads();
    if (first + kDepth < kChannels) stage(both[1 - side], one, other, left, top, first + kDepth);
    const Tiles& tiles = both[side];
#pragma unroll 2
    for (int depth = 0; depth < kDepth; ++depth) {
      const float4 own = tiles.own[depth][row][quad];
      const float owns[4] = {own.x, own.y, own.z, own.w};
      float near[12];
#pragma unroll
      for (int i = 0; i < 3; ++i) {
        const float4 some = tiles.near[depth][row + down][quad + i];
        near[4 * i] = some.x;
        near[4 * i + 1] = some.y;
        near[4 * i + 2] = some.z;
        near[4 * i + 3] = some.w;
      }
#pragma unroll
      for (int right = 0; right < kSide; ++right) {
#pragma unroll
        for (int pixel = 0; pixel < 4; ++pixel) sums[right][pixel] += owns[pixel] * near[pixel + right];
      }
    }
  }
  const int pixel = (top + row) * kWide + left + 4 * quad;
#pragma unroll
  for (int right = 0; right < kSide; ++right) {
    const float4 found = make_float4(sums[right][0] / kChannels, sums[right][1] / kChannels,
                                     sums[right][2] / kChannels, sums[right][3] / kChannels);
    *reinterpret_cast<float4*>(&scores[(down * kSide + right) * kPixels + pixel]) = found;
  }
}

__device__ int within(int place, int end) {
  return min(max(place, 0), end - 1);
}

// The mean of a place's scores in the window around a pixel.
__device__ float windowed(const float* __restrict__ scores, int x, int y) {
  float sum = 0;
#pragma unroll
  for (int down = -1; down <= 1; ++down) {
    const float* row = scores + within(y + down, kHigh) * kWide;
    sum += row[within(x - 1, kWide)] + row[x] + row[within(x + 1, kWide)];
  }
  return sum / 9;
}

// The top of a parabola through three scores, at most half a pixel off.
__device__ float refined(float before, float best, float after) {
  const float bent = before - 2 * best + after;
  return bent < -1e-6F ? fminf(fmaxf(0.5F * (before - after) / bent, -0.5F), 0.5F) : 0;
}

// A thread has a pixel.
__global__ void __launch_bounds__(kSmoothWide* kSmoothHigh)
    choose_motion(Motion motion, const float* __restrict__ scores) {
  const int x = static_cast<int>(blockIdx.x * kSmoothWide + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * kSmoothHigh + threadIdx.y);
  float best = -1e30F, sum = 0;
  int place = 0;
#pragma unroll 9
  for (int i = 0; i < kPlaces; ++i) {
    const float score = windowed(scores + i * kPixels, x, y);
    sum += score;
    if (score > best) {
      best = score;
      place = i;
    }
  }
  const int right = within(place % kSide, kSide - 1), down = within(place / kSide, kSide - 1);
  float more_right = 0, more_down = 0;
  if (right > 0 && place % kSide == right) {
    const float* there = scores + place * kPixels;
    more_right = refined(windowed(there - kPixels, x, y), best, windowed(there + kPixels, x, y));
  }
  if (down > 0 && place / kSide == down) {
    const float* there = scores + place * kPixels;
    more_down =
        refined(windowed(there - kSide * kPixels, x, y), best, windowed(there + kSide * kPixels, x, y));
  }
  const int i = y * kWide + x;
  motion.right[i] = static_cast<float>(place % kSide - kReach) + more_right;
  motion.down[i] = static_cast<float>(place / kSide - kReach) + more_down;
  motion.sure[i] = fmaxf(best - sum / kPlaces, 1e-3F);
}

// Means of 5 x 5 pixels, and a part of what was there before.
__global__ void __launch_bounds__(kSmoothWide* kSmoothHigh)
    smooth_motion(float2* __restrict__ kept, const Motion motion) {
  const int x = static_cast<int>(blockIdx.x * kSmoothWide + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * kSmoothHigh + threadIdx.y);
  float right = 0, down = 0, all = 0;
#pragma unroll
  for (int far = -kSmoothReach; far <= kSmoothReach; ++far) {
    const int row = within(y + far, kHigh) * kWide;
#pragma unroll
    for (int aside = -kSmoothReach; aside <= kSmoothReach; ++aside) {
      const int i = row + within(x + aside, kWide);
      const float sure = motion.sure[i];
      right += sure * motion.right[i];
      down += sure * motion.down[i];
      all += sure;
    }
  }
  const int i = y * kWide + x;
  const float2 before = kept[i];
  kept[i] = make_float2(0.8F * before.x + 0.2F * right / all, 0.8F * before.y + 0.2F * down / all);
}

// Noise that moves by (2, 1) from frame to frame, and some that does not stay.
__global__ void __launch_bounds__(kSmoothWide* kSmoothHigh) make_frame(float* out, int frame) {
  const int x = static_cast<int>(blockIdx.x * kSmoothWide + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * kSmoothHigh + threadIdx.y);
  for (int channel = 0; channel < kChannels; ++channel) {
    const int from = (y - frame + 64) * 4096 + x - 2 * frame + 64, i = channel * kPixels + y * kWide + x;
    const float stays = mixed_fraction(static_cast<unsigned>(from * kChannels + channel));
    const float goes =
        mixed_fraction(static_cast<unsigned>(i) + 0x51000000U + static_cast<unsigned>(frame) * 77);
    out[i] = 1.5F * (stays - 0.5F) + goes - 0.5F;
  }
}

Case make() {
  constexpr std::size_t kValues = std::size_t{kChannels} * kPixels;
  auto* frames = device_array<float>(kFrames * kValues);
  const dim3 windows(kWide / kSmoothWide, kHigh / kSmoothHigh), window(kSmoothWide, kSmoothHigh);
  for (int frame = 0; frame < kFrames; ++frame)
    make_frame<<<windows, window>>>(frames + frame * kValues, frame);
  CHECK(cudaGetLastError());
  auto* scores = device_array<float>(std::size_t{kPlaces} * kPixels);
  const Motion motion{device_array<float>(kPixels), device_array<float>(kPixels),
                      device_array<float>(kPixels)};
  auto* kept = device_array<float2>(kPixels);
  CHECK(cudaMemset(kept, 0, kPixels * sizeof(float2)));
  auto number = std::make_shared<int>(0);
  return {[=] {
            // To and fro, as the film is short.
            const int turn = (*number)++ % (2 * kFrames - 2);
            const int one = turn < kFrames - 1 ? turn : 2 * kFrames - 2 - turn;
            const int other = turn < kFrames - 1 ? turn + 1 : one - 1;
            const dim3 tiles(kWide / kTileWide, kHigh / kTileHigh), threads(kLanes, kSide);
            correlate<<<tiles, threads>>>(scores, frames + one * kValues, frames + other * kValues);
            choose_motion<<<windows, window>>>(motion, scores);
            smooth_motion<<<windows, window>>>(kept, motion);
          },
          [=] { return device_sum(reinterpret_cast<const float*>(kept), std::size_t{2} * kPixels); },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, nullptr, [] { return make(); });
}
