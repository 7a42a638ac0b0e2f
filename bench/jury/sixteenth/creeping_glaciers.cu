// Lets ice creep down mountains of 8192 x 8192 cells: ice flows the faster the thicker and steeper it is,
// snow falls above a line and ice melts below it. A step by the midpoint method a round: half a step into
// an array of its own, and then a whole one by the slopes found there.
// At fault: the function that takes a step allocates the array for half a step and frees it each time, so
// the GPU idles while the host does so. The pattern is that of GOMC-WSU/GOMC, issue 38, and
// cholla-hydro/cholla, pull request 14: memory of a step is allocated once.
#include "../case.cuh"

namespace {

constexpr int kWide = 8192, kHigh = 8192, kCells = kWide * kHigh, kAcross = 64, kDown = 4;
constexpr int kThreads = kAcross * kDown, kRounds = 4400;
constexpr float kSpan = 0.5F, kCreep = 0.4F, kFastest = 0.15F, kSnow = 0.001F, kLine = 1.1F;

struct Mountains {
  const float* ground;
  float* ice;
};

// Beyond the edge it is as at the edge.
__device__ int cell_at(int column, int row) {
  return min(max(row, 0), kHigh - 1) * kWide + min(max(column, 0), kWide - 1);
}

// What flows in from a neighbour, by the ice and the slope between them.
__device__ float inflow(float ice, float level, float beside, float ground_beside) {
  const float mean = 0.5F * (ice + beside), slope = beside + ground_beside - level;
  return fminf(kCreep * mean * mean * mean * (0.1F + slope * slope), kFastest) * slope;
}

// The ice `now` a `span` later, by the slopes of the ice `as`. `next` may be `now`, but not `as`.
__global__ void __launch_bounds__(kThreads) creep(float* next, const float* now, const float* __restrict__ as,
                                                  const float* __restrict__ ground, float span) {
  const int column = static_cast<int>(blockIdx.x * kAcross + threadIdx.x),
            row = static_cast<int>(blockIdx.y * kDown + threadIdx.y), cell = cell_at(column, row);
  const int west = cell_at(column - 1, row), east = cell_at(column + 1, row);
  const int south = cell_at(column, row - 1), north = cell_at(column, row + 1);
  const float ice = as[cell], level = ice + ground[cell];
  const float along = inflow(ice, level, as[west], ground[west]) + inflow(ice, level, as[east], ground[east]);
  const float across =
      inflow(ice, level, as[south], ground[south]) + inflow(ice, level, as[north], ground[north]);
  next[cell] = fmaxf(now[cell] + span * (along + across + kSnow * fminf(level - kLine, 1)), 0);
}

// Mountains of several sizes, and a little ice everywhere.
__global__ void __launch_bounds__(kThreads) rise(float* ground, float* ice) {
  const int column = static_cast<int>(blockIdx.x * kAcross + threadIdx.x),
            row = static_cast<int>(blockIdx.y * kDown + threadIdx.y), cell = cell_at(column, row);
  const auto x = static_cast<float>(column), y = static_cast<float>(row);
  const float ranges = sinpif(x / 512) * sinpif(y / 400), valleys = sinpif(x / 64 + y / 300) * sinpif(y / 50);
  ground[cell] = 1 + 0.8F * ranges + 0.3F * valleys + 0.01F * mixed_fraction(static_cast<unsigned>(cell));
  ice[cell] = 0.3F;
}

void take_step(const Mountains& mountains, float* half) {
  const dim3 blocks(kWide / kAcross, kHigh / kDown), threads(kAcross, kDown);
  creep<<<blocks, threads>>>(half, mountains.ice, mountains.ice, mountains.ground, kSpan / 2);
  creep<<<blocks, threads>>>(mountains.ice, mountains.ice, half, mountains.ground, kSpan);
  CHECK(cudaGetLastError());
}

void allocate_and_take_step(const Mountains& mountains) {
  auto* half = device_array<float>(kCells);  // fault
  take_step(mountains, half);
  CHECK(cudaFree(half));  // fault
}

Case make(bool allocates) {
  auto *ground = device_array<float>(kCells), *ice = device_array<float>(kCells);
  rise<<<dim3(kWide / kAcross, kHigh / kDown), dim3(kAcross, kDown)>>>(ground, ice);
  CHECK(cudaGetLastError());
  const Mountains mountains{ground, ice};
  auto sum = [=] { return device_sum(ice, kCells); };
  if (allocates) return {[=] { allocate_and_take_step(mountains); }, sum, kRounds};  // fault
  auto* half = device_array<float>(kCells);
  return {[=] { take_step(mountains, half); }, sum, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
