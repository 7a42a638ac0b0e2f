// Floes of ice drift on a sea of 4096 x 4096 cells, whose stream function spreads by diffusion: four steps of
// the sea, then each of 131,072 floes is dragged along by the water beneath it, and turned by the earth.
// At fault: the floes are moved on the host, so the velocities of the water go there and the floes come back
// in each round, while the GPU idles. The pattern is that of MFlowCode/MFC, issue 1453: the rest of the
// computation moves to the GPU, and the copies back and forth go away.
#include <memory>
#include <utility>

#include "../case.cuh"

namespace {

constexpr int kSide = 4096, kCells = kSide * kSide, kFloes = 1 << 17, kThreads = 256;
constexpr int kSteps = 4, kRounds = 1500;
constexpr float kTime = 0.5F, kDrag = 0.15F, kTurn = 0.04F, kSpread = 0.2F;

// Stream functions of this step and of the next.
struct Sea {
  float *now, *next;
};

struct Floe {
  float x, y, right, down;
};

struct Water {
  float right, down;
};

// In a ring.
__device__ int wrapped(int place) {
  return place & (kSide - 1);
}

// A block is within a row.
__global__ void __launch_bounds__(kThreads)
    spread_stream(float* __restrict__ next, const float* __restrict__ now) {
  const int x = static_cast<int>(blockIdx.x * kThreads + threadIdx.x), y = static_cast<int>(blockIdx.y);
  const float own = now[y * kSide + x];
  const float around = now[y * kSide + wrapped(x - 1)] + now[y * kSide + wrapped(x + 1)] +
                       now[wrapped(y - 1) * kSide + x] + now[wrapped(y + 1) * kSide + x];
  next[y * kSide + x] = own + kSpread * (around - 4 * own);
}

// Differences of the stream function across the cell of a floe.
__device__ Water water_at(const float* __restrict__ stream, const Floe& floe) {
  const int x = wrapped(static_cast<int>(floe.x)), y = wrapped(static_cast<int>(floe.y));
  const float *above = stream + y * kSide, *below = stream + wrapped(y + 1) * kSide;
  const int right = wrapped(x + 1);
  return {0.5F * (below[x] + below[right] - above[x] - above[right]),
          0.5F * (above[x] + below[x] - above[right] - below[right])};
}

__host__ __device__ inline float within(float place) {
  if (place < 0) place += kSide;
  return place >= kSide ? place - kSide : place;
}

__host__ __device__ inline Floe moved(const Floe& floe, const Water& water) {
  const float right = water.right - floe.right, down = water.down - floe.down;
  const float drag = kDrag * sqrtf(right * right + down * down + 0.01F);
  Floe next = floe;
  next.right += kTime * (drag * right - kTurn * floe.down);
  next.down += kTime * (drag * down + kTurn * floe.right);
  next.x = within(floe.x + kTime * next.right);
  next.y = within(floe.y + kTime * next.down);
  return next;
}

__global__ void __launch_bounds__(kThreads)
    find_water(Water* __restrict__ water, const Floe* __restrict__ floes, const float* __restrict__ stream) {
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  water[i] = water_at(stream, floes[i]);
}

__global__ void __launch_bounds__(kThreads) move_floes(float4* floes, const float* __restrict__ stream) {
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const float4 own = floes[i];
  const Floe floe{own.x, own.y, own.z, own.w};
  const Floe next = moved(floe, water_at(stream, floe));
  floes[i] = make_float4(next.x, next.y, next.right, next.down);
}

// Gyres of two sizes.
__global__ void __launch_bounds__(kThreads) make_sea(float* stream) {
  const int x = static_cast<int>(blockIdx.x * kThreads + threadIdx.x), y = static_cast<int>(blockIdx.y);
  const float across = static_cast<float>(x) / kSide, down = static_cast<float>(y) / kSide;
  stream[y * kSide + x] = 40 * sinpif(8 * across) * cospif(6 * down) + 15 * cospif(20 * across + 12 * down);
}

__global__ void __launch_bounds__(kThreads) make_floes(Floe* floes) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  floes[i] = {4095 * mixed_fraction(2 * i), 4095 * mixed_fraction(2 * i + 1), 0, 0};
}

void step_sea(Sea& sea) {
  for (int step = 0; step < kSteps; ++step) {
    spread_stream<<<dim3(kSide / kThreads, kSide), kThreads>>>(sea.next, sea.now);
    std::swap(sea.now, sea.next);
  }
}

std::shared_ptr<Sea> made_sea() {
  const auto sea = std::make_shared<Sea>(Sea{device_array<float>(kCells), device_array<float>(kCells)});
  make_sea<<<dim3(kSide / kThreads, kSide), kThreads>>>(sea->now);
  CHECK(cudaGetLastError());
  return sea;
}

Floe* made_floes() {
  auto* floes = device_array<Floe>(kFloes);
  make_floes<<<kFloes / kThreads, kThreads>>>(floes);
  CHECK(cudaGetLastError());
  return floes;
}

double summed(const Floe* floes) {
  return device_sum(reinterpret_cast<const float*>(floes), std::size_t{kFloes} * 4);
}

Case make_moved_on_host() {
  const auto sea = made_sea();
  auto *floes = made_floes(), *host_floes = pinned_array<Floe>(kFloes);
  CHECK(cudaMemcpy(host_floes, floes, kFloes * sizeof(Floe), cudaMemcpyDeviceToHost));
  auto *water = device_array<Water>(kFloes), *host_water = pinned_array<Water>(kFloes);
  return {
      [=] {
        step_sea(*sea);
        find_water<<<kFloes / kThreads, kThreads>>>(water, floes, sea->now);
        CHECK(cudaMemcpyAsync(host_water, water, kFloes * sizeof(Water), cudaMemcpyDeviceToHost));  // fault
        CHECK(cudaStreamSynchronize(nullptr));                                                      // fault
        for (int i = 0; i < kFloes; ++i) host_floes[i] = moved(host_floes[i], host_water[i]);
        CHECK(cudaMemcpyAsync(floes, host_floes, kFloes * sizeof(Floe), cudaMemcpyHostToDevice));  // fault
      },
      [=] { return summed(floes); }, kRounds};
}

Case make_moved_on_device() {
  const auto sea = made_sea();
  auto* floes = made_floes();
  return {[=] {
            step_sea(*sea);
            move_floes<<<kFloes / kThreads, kThreads>>>(reinterpret_cast<float4*>(floes), sea->now);
          },
          [=] { return summed(floes); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, make_moved_on_host, make_moved_on_device);
}
