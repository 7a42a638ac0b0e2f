// An ice rink: heat goes through ice, concrete and sand, pipes with brine take it away, and the hall, skaters
// and the machine that makes the ice smooth bring it in. The temperature of the brine is set by sensors in
// the ice. Eight steps of the model are recorded as a graph. A graph a round.
#include <cuda_pipeline.h>
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kLong = 1024, kWide = 512, kDeep = 40, kPlane = kLong * kWide, kCells = kPlane * kDeep;
constexpr int kTileLong = 64, kTileWide = 8, kThreads = kTileLong * kTileWide;
constexpr int kRowOfTile = kTileLong + 8, kRowsOfTile = kTileWide + 2, kStages = 4;
constexpr int kIce = 6, kConcrete = 18, kPipeDepth = 12, kPipeApart = 16, kSensors = 1024, kSensorDepth = 4;
constexpr int kSteps = 8, kRounds = 4000;
constexpr float kIceSpreads = 0.14F, kConcreteSpreads = 0.1F, kSandSpreads = 0.05F, kBrineTakes = 0.3F;
constexpr float kHall = 8, kWish = -5;
constexpr unsigned kMask = 0xffffffffU;

struct Brine {
  float degrees, error, taken;
  int step;
};

struct Rink {
  float *heat, *next;
  Brine* brine;
  float* readings;
  cudaStream_t stream;
  cudaGraphExec_t steps;
};

__device__ float spreads(int z) {
  return z < kIce ? kIceSpreads : z < kConcrete ? kConcreteSpreads : kSandSpreads;
}

// A plane of a tile with a margin. Copies of 16 bytes; the margin is four cells left and right.
__device__ void fetch_plane(float (&tile)[kRowsOfTile][kRowOfTile], const float* __restrict__ heat, int left,
                            int front, int z) {
  constexpr int kQuadsOfRow = kRowOfTile / 4;
  const auto thread = static_cast<int>(threadIdx.x);
  if (thread < kRowsOfTile * kQuadsOfRow) {
    const int row = thread / kQuadsOfRow, quad = thread % kQuadsOfRow;
    const int y = min(max(front + row - 1, 0), kWide - 1), x = min(max(left + 4 * quad - 4, 0), kLong - 4);
    __pipeline_memcpy_async(&tile[row][4 * quad], heat + z * kPlane + y * kLong + x, 16);
  }
  __pipeline_commit();
}

// Goes down through the layers; planes are fetched some layers ahead.
__global__ void __launch_bounds__(kThreads)
    conduct(float* __restrict__ next, const float* __restrict__ heat, const Brine* __restrict__ brine) {
  __shared__ alignas(16) float tiles[kStages][kRowsOfTile][kRowOfTile];
  const int left = static_cast<int>(blockIdx.x) * kTileLong, front = static_cast<int>(blockIdx.y) * kTileWide;
  const int column = static_cast<int>(threadIdx.x) % kTileLong,
            row = static_cast<int>(threadIdx.x) / kTileLong;
  const int x = left + column, y = front + row;
  const float cold = brine->degrees;
  const auto step = static_cast<float>(brine->step);
  for (int z = 0; z < kStages - 1; ++z) fetch_plane(tiles[z], heat, left, front, z);
  float above = 0, own = 0;
  const float crowd = 1 + 0.5F * __sinf(0.002F * step + 0.01F * static_cast<float>(x + 2 * y));
  const bool smoothed = fabsf(static_cast<float>(x) - fmodf(0.5F * step, 2 * kLong)) < 4;
  for (int z = 0; z < kDeep; ++z) {
    __pipeline_wait_prior(kStages - 3);
    __syncthreads();
    const auto& tile = tiles[z % kStages];
    const float* mine = &tile[row + 1][column + 4];
    own = mine[0];
    const float west = x > 0 ? mine[-1] : own, east = x < kLong - 1 ? mine[1] : own;
    const float south = y > 0 ? mine[-kRowOfTile] : own, north = y < kWide - 1 ? mine[kRowOfTile] : own;
    const float below = z < kDeep - 1 ? tiles[(z + 1) % kStages][row + 1][column + 4] : own;
    float spread = west + east + south + north + below - 5 * own;
    spread += z > 0 ? above - own : 0;
    float change = spreads(z) * spread;
    if (z == 0) change += 0.01F * crowd * (kHall - own) + (smoothed ? 0.5F : 0);
    if (z == kPipeDepth && y % kPipeApart == kPipeApart / 2) change += kBrineTakes * (cold - own);
    if (z == kDeep - 1) change += 0.01F * (4 - own);
    next[z * kPlane + y * kLong + x] = own + change;
    above = own;
    if (z + kStages - 1 < kDeep)
      fetch_plane(tiles[(z + kStages - 1) % kStages], heat, left, front, z + kStages - 1);
    else
      __pipeline_commit();
  }
}

// One block reads the sensors and sets the temperature of the brine for the next step.
__global__ void __launch_bounds__(kSensors)
    control(Brine* __restrict__ brine, float* __restrict__ readings, const float* __restrict__ heat) {
  __shared__ float warps[kSensors / 32];
  const auto sensor = static_cast<int>(threadIdx.x);
  const int x = sensor % 32 * (kLong / 32) + 5, y = sensor / 32 * (kWide / 32) + 3;
  const float degrees = heat[kSensorDepth * kPlane + y * kLong + x];
  readings[sensor] += 1e-3F * (degrees + 40);
  float sum = degrees;
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(kMask, sum, far);
  if (sensor % 32 == 0) warps[sensor / 32] = sum;
  __syncthreads();
  if (sensor >= 32) return;
  sum = warps[sensor];
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(kMask, sum, far);
  if (sensor != 0) return;
  Brine now = *brine;
  const float error = kWish - sum / kSensors;
  now.error = fminf(fmaxf(0.999F * now.error + 0.001F * error, -10), 10);
  now.degrees = fminf(fmaxf(-14 + 2 * error + 4 * now.error, -22), -6);
  now.taken = 0.99F * now.taken - 0.01F * now.degrees;
  ++now.step;
  *brine = now;
}

__global__ void __launch_bounds__(kThreads) freeze(float* heat) {
  const auto i = static_cast<unsigned>(blockIdx.x * kThreads + threadIdx.x);
  heat[i] = -6 + 10 * static_cast<float>(i / kPlane) / kDeep + mixed_fraction(i);
}

void record_steps(Rink& rink) {
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamCreateWithFlags(&rink.stream, cudaStreamNonBlocking));
  CHECK(cudaStreamBeginCapture(rink.stream, cudaStreamCaptureModeGlobal));
  for (int step = 0; step < kSteps; ++step) {
    conduct<<<dim3(kLong / kTileLong, kWide / kTileWide), kThreads, 0, rink.stream>>>(rink.next, rink.heat,
                                                                                      rink.brine);
    std::swap(rink.heat, rink.next);
    control<<<1, kSensors, 0, rink.stream>>>(rink.brine, rink.readings, rink.heat);
  }
  CHECK(cudaStreamEndCapture(rink.stream, &graph));
  CHECK(cudaGraphInstantiate(&rink.steps, graph, 0));
  CHECK(cudaGraphDestroy(graph));
}

Case make() {
  const auto rink = std::make_shared<Rink>();
  rink->heat = device_array<float>(kCells);
  rink->next = device_array<float>(kCells);
  freeze<<<kCells / kThreads, kThreads>>>(rink->heat);
  rink->brine = device_array<Brine>(1);
  const Brine first{-12, 0, 0, 0};
  CHECK(cudaMemcpy(rink->brine, &first, sizeof first, cudaMemcpyHostToDevice));
  rink->readings = device_array<float>(kSensors);
  CHECK(cudaMemset(rink->readings, 0, kSensors * sizeof(float)));
  CHECK(cudaDeviceSynchronize());
  record_steps(*rink);
  return {[=] { CHECK(cudaGraphLaunch(rink->steps, rink->stream)); },
          [=] { return device_sum(rink->readings, kSensors); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
