// Gas in two dimensions, 2048 x 4096 cells, by fluxes of Rusanov. The length of each step comes from the
// fastest wave that there is.
// At fault: the fastest wave of each block is copied to the host, which waits for the copy in each step and
// looks for the fastest of all, while the GPU idles. The pattern is that of ExtremeFLOW/neko, pull request
// 733: the device reduces speeds to the end instead of copying arrays to the host. Here the length of a step
// stays on the device, too.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kEdge = 2048, kRows = 4096, kThreads = 256, kSteps = 10, kRounds = 900, kFields = 4;
constexpr int kBlocksAcross = kEdge / kThreads, kBlocks = kBlocksAcross * kRows;
constexpr std::size_t kCells = std::size_t{kRows} * kEdge, kBytes = kBlocks * sizeof(float);
constexpr float kGamma = 1.4F, kCourant = 0.3F;

// Density, momenta, energy: a plane each.
struct Planes {
  float* at[kFields];
};

struct State {
  float density, across, down, energy;
};

__device__ State state_at(const Planes& planes, int cell) {
  return {planes.at[0][cell], planes.at[1][cell], planes.at[2][cell], planes.at[3][cell]};
}

__device__ float pressure_of(const State& s) {
  return (kGamma - 1) * (s.energy - 0.5F * (s.across * s.across + s.down * s.down) / s.density);
}

__device__ float sound_of(const State& s) {
  return sqrtf(kGamma * pressure_of(s) / s.density);
}

template <bool kAcross>
__device__ State flux_of(const State& s) {
  const float speed = (kAcross ? s.across : s.down) / s.density, pressure = pressure_of(s);
  return {speed * s.density, speed * s.across + (kAcross ? pressure : 0),
          speed * s.down + (kAcross ? 0 : pressure), speed * (s.energy + pressure)};
}

// Through the side between two cells.
template <bool kAcross>
__device__ State rusanov(const State& one, const State& two) {
  const State f = flux_of<kAcross>(one), g = flux_of<kAcross>(two);
  const float first = fabsf(kAcross ? one.across : one.down) / one.density + sound_of(one);
  const float second = fabsf(kAcross ? two.across : two.down) / two.density + sound_of(two);
  const float fastest = fmaxf(first, second);
  return {0.5F * (f.density + g.density - fastest * (two.density - one.density)),
          0.5F * (f.across + g.across - fastest * (two.across - one.across)),
          0.5F * (f.down + g.down - fastest * (two.down - one.down)),
          0.5F * (f.energy + g.energy - fastest * (two.energy - one.energy))};
}

__device__ float fastest_of_block(float speed) {
  __shared__ float parts[32];
  for (int far = 16; far > 0; far /= 2) speed = fmaxf(speed, __shfl_xor_sync(0xffffffffU, speed, far));
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = speed;
  __syncthreads();
  for (unsigned warp = 0; warp < blockDim.x / 32; ++warp) speed = fmaxf(speed, parts[warp]);
  return speed;
}

__host__ __device__ float step_for(float fastest) {
  return kCourant / fastest;
}

// The step is in cells a unit of speed. Tells the fastest wave of each block's new states.
__device__ void advance(Planes next, Planes now, float step, float* speeds) {
  const int x = static_cast<int>(blockIdx.x * kThreads + threadIdx.x), y = static_cast<int>(blockIdx.y);
  const int cell = y * kEdge + x;
  const State here = state_at(now, cell);
  const State left = state_at(now, y * kEdge + (x + kEdge - 1) % kEdge);
  const State right = state_at(now, y * kEdge + (x + 1) % kEdge);
  const State above = state_at(now, (y + kRows - 1) % kRows * kEdge + x);
  const State below = state_at(now, (y + 1) % kRows * kEdge + x);
  const State west = rusanov<true>(left, here), east = rusanov<true>(here, right);
  const State north = rusanov<false>(above, here), south = rusanov<false>(here, below);
  const State after{here.density - step * (east.density - west.density + south.density - north.density),
                    here.across - step * (east.across - west.across + south.across - north.across),
                    here.down - step * (east.down - west.down + south.down - north.down),
                    here.energy - step * (east.energy - west.energy + south.energy - north.energy)};
  next.at[0][cell] = after.density;
  next.at[1][cell] = after.across;
  next.at[2][cell] = after.down;
  next.at[3][cell] = after.energy;
  const float flow = fmaxf(fabsf(after.across), fabsf(after.down)) / after.density;
  const float fastest = fastest_of_block(flow + sound_of(after));
  if (threadIdx.x == 0) speeds[blockIdx.y * kBlocksAcross + blockIdx.x] = fastest;
}

__global__ void __launch_bounds__(kThreads)
    advance_by_host(Planes next, Planes now, float step, float* speeds) {
  advance(next, now, step, speeds);
}

__global__ void __launch_bounds__(kThreads)
    advance_by_device(Planes next, Planes now, const float* step, float* speeds) {
  advance(next, now, *step, speeds);
}

__global__ void __launch_bounds__(1024) choose_step(float* step, const float* speeds) {
  float fastest = 0;
#pragma unroll
  for (int i = 0; i < kBlocks / 1024; ++i) fastest = fmaxf(fastest, speeds[i * 1024 + threadIdx.x]);
  fastest = fastest_of_block(fastest);
  if (threadIdx.x == 0) *step = step_for(fastest);
}

__global__ void begin(Planes planes) {
  const int x = static_cast<int>(blockIdx.x * kThreads + threadIdx.x), y = static_cast<int>(blockIdx.y);
  const float turn = 6.2831853F / kEdge, density = 1 + 0.3F * sinf(turn * x) * cosf(2 * turn * y);
  const float across = 0.4F * sinf(0.5F * turn * y), down = 0.2F * cosf(3 * turn * x), pressure = 1;
  const int cell = y * kEdge + x;
  planes.at[0][cell] = density;
  planes.at[1][cell] = density * across;
  planes.at[2][cell] = density * down;
  planes.at[3][cell] = pressure / (kGamma - 1) + 0.5F * density * (across * across + down * down);
}

Planes made_planes() {
  Planes planes{};
  for (float*& plane : planes.at) plane = device_array<float>(kCells);
  return planes;
}

Case make(bool on_host) {
  const Planes one = made_planes(), two = made_planes();
  auto* speeds = device_array<float>(kBlocks);
  auto* host_speeds = pinned_array<float>(kBlocks);
  auto* step = device_array<float>(1);
  const float first = step_for(4);
  CHECK(cudaMemcpy(step, &first, sizeof(float), cudaMemcpyHostToDevice));
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreate(&stream));
  const dim3 blocks(kBlocksAcross, kRows);
  begin<<<blocks, kThreads, 0, stream>>>(one);
  auto host_step = std::make_shared<float>(first);
  const auto by_host = [=](const Planes& next, const Planes& now) {
    advance_by_host<<<blocks, kThreads, 0, stream>>>(next, now, *host_step, speeds);
    CHECK(cudaMemcpyAsync(host_speeds, speeds, kBytes, cudaMemcpyDeviceToHost, stream));  // fault
    CHECK(cudaStreamSynchronize(stream));                                                 // fault
    float fastest = 0;
    for (int block = 0; block < kBlocks; ++block) fastest = std::max(fastest, host_speeds[block]);
    *host_step = step_for(fastest);
  };
  const auto by_device = [=](const Planes& next, const Planes& now) {
    advance_by_device<<<blocks, kThreads, 0, stream>>>(next, now, step, speeds);
    choose_step<<<1, 1024, 0, stream>>>(step, speeds);
  };
  return {[=] {
            for (int pair = 0; pair < kSteps / 2; ++pair) {
              if (on_host) {
                by_host(two, one);
                by_host(one, two);
              } else {
                by_device(two, one);
                by_device(one, two);
              }
            }
          },
          [=] {
            CHECK(cudaStreamSynchronize(stream));
            return device_sum(one.at[0], kCells) + device_sum(one.at[3], kCells);
          },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
