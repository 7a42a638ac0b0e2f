// A telescope that looks for asteroids: each frame is freed of the camera's faults and of the sky, the last
// twelve frames are stacked along 49 ways that something might move, and the brightest way of each tile is
// told. Three frames a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kSide = 2048, kPixels = kSide * kSide, kFrames = 12, kFast = 3, kAcross = 2 * kFast + 1;
constexpr int kWays = kAcross * kAcross, kThreads = 256, kTileWide = 32, kTileHigh = 8, kSky = 32;
constexpr int kTilesWide = kSide / kTileWide, kTiles = kTilesWide * (kSide / kTileHigh);
constexpr int kSlots = 3, kFramesOfRound = 3, kRounds = 400, kSpots = 24, kSpot = 8;
constexpr unsigned kMask = 0xffffffffU;
constexpr float kLevel = 800;

struct Find {
  float bright;
  int way;
};

struct Slot {
  float *taken, *uploaded;
  Find *finds, *told;
  cudaEvent_t ready, done;
};

struct Telescope {
  Slot slots[kSlots];
  float *dark, *flat;
  float* frames;  // a ring
  cudaStream_t copies, work;
  double told = 0;
  int moment = 0;
};

__device__ float block_sum(float sum, float* warps) {
  const auto thread = static_cast<int>(threadIdx.x);
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(kMask, sum, far);
  if (thread % 32 == 0) warps[thread / 32] = sum;
  __syncthreads();
  sum = 0;
#pragma unroll
  for (int warp = 0; warp < kThreads / 32; ++warp) sum += warps[warp];
  return sum;
}

// A block has 32 by 32 pixels, whose mean is the sky. A thread has four pixels beside each other.
__global__ void __launch_bounds__(kThreads)
    calibrate(float4* __restrict__ frame, const float4* __restrict__ taken, const float4* __restrict__ dark,
              const float4* __restrict__ flat) {
  __shared__ float warps[kThreads / 32];
  const auto thread = static_cast<int>(threadIdx.x);
  const int row = static_cast<int>(blockIdx.y) * kSky + thread / (kSky / 4);
  const int i = row * (kSide / 4) + static_cast<int>(blockIdx.x) * (kSky / 4) + thread % (kSky / 4);
  const float4 raw = taken[i], own_dark = dark[i], own_flat = flat[i];
  const float4 light = make_float4((raw.x - own_dark.x) * own_flat.x, (raw.y - own_dark.y) * own_flat.y,
                                   (raw.z - own_dark.z) * own_flat.z, (raw.w - own_dark.w) * own_flat.w);
  const float sky = block_sum((light.x + light.y) + (light.z + light.w), warps) / (kSky * kSky);
  frame[i] = make_float4(light.x - sky, light.y - sky, light.z - sky, light.w - sky);
}

__device__ Find brighter(Find one, Find other) {
  const bool first = one.bright > other.bright || (one.bright == other.bright && one.way < other.way);
  return first ? one : other;
}

__device__ Find brightest(Find mine) {
  for (int far = 16; far > 0; far /= 2)
    mine = brighter(mine, {__shfl_xor_sync(kMask, mine.bright, far), __shfl_xor_sync(kMask, mine.way, far)});
  return mine;
}

// A thread has the place where something might be now, and goes back along all ways. Ways that leave the
// picture count its edge.
__global__ void __launch_bounds__(kThreads)
    stack_frames(Find* __restrict__ finds, const float* __restrict__ frames, int newest) {
  __shared__ Find warps[kThreads / 32];
  const auto thread = static_cast<int>(threadIdx.x);
  const int x = static_cast<int>(blockIdx.x) * kTileWide + thread % kTileWide;
  const int y = static_cast<int>(blockIdx.y) * kTileHigh + thread / kTileWide;
  float sums[kWays] = {};
#pragma unroll 1
  for (int age = 0; age < kFrames; ++age) {
    const float* frame = frames + (newest + kFrames - age) % kFrames * kPixels;
    int columns[kAcross];
#pragma unroll
    for (int k = 0; k < kAcross; ++k) columns[k] = min(max(x + (k - kFast) * age, 0), kSide - 1);
#pragma unroll
    for (int down = 0; down < kAcross; ++down) {
      const float* row = frame + min(max(y + (down - kFast) * age, 0), kSide - 1) * kSide;
#pragma unroll
      for (int across = 0; across < kAcross; ++across) sums[down * kAcross + across] += row[columns[across]];
    }
  }
  Find mine = {sums[0], 0};
#pragma unroll
  for (int way = 1; way < kWays; ++way)
    if (sums[way] > mine.bright) mine = {sums[way], way};
  mine = brightest(mine);
  if (thread % 32 == 0) warps[thread / 32] = mine;
  __syncthreads();
  if (thread != 0) return;
  for (int warp = 1; warp < kThreads / 32; ++warp) mine = brighter(mine, warps[warp]);
  finds[static_cast<int>(blockIdx.y) * kTilesWide + static_cast<int>(blockIdx.x)] = mine;
}

__global__ void __launch_bounds__(kThreads) measure_camera(float* dark, float* flat) {
  const auto i = static_cast<unsigned>(blockIdx.x * kThreads + threadIdx.x);
  dark[i] = 100 + 10 * mixed_fraction(i);
  flat[i] = 1 / (0.9F + 0.2F * mixed_fraction(i + 5000011U));
}

float sky_at(int i, int slot) {
  const auto noise = static_cast<unsigned>(i) + static_cast<unsigned>(slot) * 7000003U;
  return kLevel + 0.05F * static_cast<float>(i % kSide) + 40 * mixed_fraction(noise);
}

// Something that moves: where its upper left corner is.
int corner_of(int spot, int moment) {
  const int x = 100 + spot * 73 + moment * (spot % 5 - 2), y = 60 + spot * 67 + moment * (spot % 3 + 1);
  const int margin = kSide - kSpot;
  return (y % margin + margin) % margin * kSide + (x % margin + margin) % margin;
}

// The camera's picture: sky where things were when this buffer was last used, and light where they are.
void take_frame(float* taken, int slot, int moment) {
  for (int spot = 0; spot < kSpots && moment >= kSlots; ++spot) {
    const int was = corner_of(spot, moment - kSlots);
    for (int i = 0; i < kSpot * kSpot; ++i) {
      const int at = was + i / kSpot * kSide + i % kSpot;
      taken[at] = sky_at(at, slot);
    }
  }
  for (int spot = 0; spot < kSpots; ++spot) {
    const int is = corner_of(spot, moment);
    const float bright =
        200 + 10 * static_cast<float>(spot) + 20 * std::sin(0.1F * static_cast<float>(moment));
    for (int i = 0; i < kSpot * kSpot; ++i) taken[is + i / kSpot * kSide + i % kSpot] = kLevel + bright;
  }
}

// Where frames wait for their upload.
struct PlainBuffer {
  static float* make(std::size_t n) { return new float[n]; }  // fault
};

struct DriverBuffer {
  static float* make(std::size_t n) { return pinned_array<float>(n); }
};

void look(const Telescope& telescope, const Slot& slot, int moment) {
  const int newest = moment % kFrames;
  calibrate<<<dim3(kSide / kSky, kSide / kSky), kThreads, 0, telescope.work>>>(
      reinterpret_cast<float4*>(telescope.frames + std::size_t{kPixels} * newest),
      reinterpret_cast<const float4*>(slot.uploaded), reinterpret_cast<const float4*>(telescope.dark),
      reinterpret_cast<const float4*>(telescope.flat));
  stack_frames<<<dim3(kTilesWide, kSide / kTileHigh), kThreads, 0, telescope.work>>>(
      slot.finds, telescope.frames, newest);
}

void next_frame(Telescope& telescope) {
  const int moment = telescope.moment++;
  Slot& slot = telescope.slots[moment % kSlots];
  CHECK(cudaEventSynchronize(slot.done));
  if (moment >= kSlots)
    for (int i = 0; i < kTiles; ++i) telescope.told += slot.told[i].bright + slot.told[i].way;
  take_frame(slot.taken, moment % kSlots, moment);
  CHECK(cudaMemcpyAsync(slot.uploaded, slot.taken, kPixels * sizeof(float), cudaMemcpyHostToDevice,  // fault
                        telescope.copies));                                                          // fault
  CHECK(cudaEventRecord(slot.ready, telescope.copies));
  CHECK(cudaStreamWaitEvent(telescope.work, slot.ready, 0));
  look(telescope, slot, moment);
  CHECK(
      cudaMemcpyAsync(slot.told, slot.finds, kTiles * sizeof(Find), cudaMemcpyDeviceToHost, telescope.work));
  CHECK(cudaEventRecord(slot.done, telescope.work));
}

template <class Buffer>
void prepare(Slot& slot, int number) {
  slot.taken = Buffer::make(kPixels);  // fault
  for (int i = 0; i < kPixels; ++i) slot.taken[i] = sky_at(i, number);
  slot.uploaded = device_array<float>(kPixels);
  slot.finds = device_array<Find>(kTiles);
  slot.told = pinned_array<Find>(kTiles);
  CHECK(cudaEventCreateWithFlags(&slot.ready, cudaEventDisableTiming));
  CHECK(cudaEventCreateWithFlags(&slot.done, cudaEventDisableTiming));
}

template <class Buffer>
Case make() {
  const auto telescope = std::make_shared<Telescope>();
  for (int number = 0; number < kSlots; ++number) prepare<Buffer>(telescope->slots[number], number);
  telescope->dark = device_array<float>(kPixels);
  telescope->flat = device_array<float>(kPixels);
  measure_camera<<<kPixels / kThreads, kThreads>>>(telescope->dark, telescope->flat);
  telescope->frames = device_array<float>(std::size_t{kFrames} * kPixels);
  CHECK(cudaMemset(telescope->frames, 0, std::size_t{kFrames} * kPixels * sizeof(float)));
  CHECK(cudaStreamCreateWithFlags(&telescope->copies, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&telescope->work, cudaStreamNonBlocking));
  const auto round = [=] {
    for (int i = 0; i < kFramesOfRound; ++i) next_frame(*telescope);
  };
  const auto sum = [=] { return telescope->told + device_sum(telescope->frames, kPixels) * 1e-2; };
  return {round, sum, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, make<PlainBuffer>, make<DriverBuffer>);
}
