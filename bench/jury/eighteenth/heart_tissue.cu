// Lets waves run through a piece of heart of 256 x 256 x 256 cells by the model of Fenton and Karma: a
// voltage that diffuses along fibres, and two gates. A pacemaker gives a beat every 4096 steps, and every 16
// steps electrodes measure the field on the skin. A step a round. Nothing is at fault. Currents and diffusion
// are one kernel, each array is read and written once a step, by lanes side by side, and the arrays of the
// voltage change places. The pattern is that of JuliaHealth/Thunderbolt.jl, issue 5 and pull request 104: an
// explicit solver of finite differences for the heart on a GPU.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kSide = 256, kPlane = kSide * kSide, kCells = kPlane * kSide, kThreads = kSide;
constexpr int kBeatEvery = 4096, kMeasureEvery = 16, kElectrodes = 4, kPaced = 24, kRounds = 28000;
constexpr float kStep = 0.1F, kAlong = 0.12F, kAcross = 0.04F;
constexpr unsigned kMask = 0xffffffffU;

struct Tissue {
  float *volts, *later, *fast, *slow, *leads;
  int step;
};

// A block has a line of cells. No current leaves the tissue.
struct Place {
  int own, west, east, south, north, below, above;
};

__device__ Place own_place() {
  const auto x = static_cast<int>(threadIdx.x), y = static_cast<int>(blockIdx.x),
             z = static_cast<int>(blockIdx.y);
  const int own = (z * kSide + y) * kSide + x;
  return {own,
          x == 0 ? own : own - 1,
          x == kSide - 1 ? own : own + 1,
          y == 0 ? own : own - kSide,
          y == kSide - 1 ? own : own + kSide,
          z == 0 ? own : own - kPlane,
          z == kSide - 1 ? own : own + kPlane};
}

__global__ void __launch_bounds__(kThreads) beat(float* __restrict__ later, float* __restrict__ fasts,
                                                 float* __restrict__ slows, const float* __restrict__ volts) {
  const Place at = own_place();
  const float own = volts[at.own], fast = fasts[at.own], slow = slows[at.own];
  const float flow =
      kAlong * (volts[at.west] + volts[at.east] - 2 * own) +
      kAcross * (volts[at.south] + volts[at.north] + volts[at.below] + volts[at.above] - 4 * own);
  const bool excited = own >= 0.13F;
  const float enters = excited ? -fast * (1 - own) * (own - 0.13F) * (1 / 0.29F) : 0;
  const float leaves = excited ? 1 / 70.0F : own * (1 / 12.5F);
  const float lasts = -slow * (1 + tanhf(10 * (own - 0.85F))) * (1 / (2 * 32.7F));
  later[at.own] = own + flow - kStep * (enters + leaves + lasts);
  fasts[at.own] =
      fast + kStep * (excited ? -fast * (1 / 5.75F) : (1 - fast) * (1 / (own >= 0.025F ? 60.0F : 82.5F)));
  slows[at.own] = slow + kStep * (excited ? -slow * (1 / 300.0F) : (1 - slow) * (1 / 400.0F));
}

// The pacemaker lies in a corner, and a second one gives its beat a little later.
__global__ void __launch_bounds__(kPaced) pace(float* volts, int corner) {
  volts[corner + static_cast<int>((blockIdx.y * kSide + blockIdx.x) * kSide + threadIdx.x)] = 1;
}

// Of each line, by its block: what flows, divided by the square of how far an electrode is.
__global__ void __launch_bounds__(kThreads)
    measure_leads(float4* __restrict__ leads, const float* __restrict__ volts) {
  __shared__ float4 warps[kThreads / 32];
  const Place at = own_place();
  const float own = volts[at.own], x = static_cast<float>(threadIdx.x);
  const float y = static_cast<float>(blockIdx.x) + 32, z = static_cast<float>(blockIdx.y);
  const float along = volts[at.east] - own, across = volts[at.north] - own, upwards = volts[at.above] - own;
  float found[kElectrodes];
#pragma unroll
  for (int i = 0; i < kElectrodes; ++i) {
    const float to_x = x - 85.0F * static_cast<float>(i), to_z = z - 128;
    const float near = rsqrtf(to_x * to_x + y * y + to_z * to_z);
    found[i] = (along * to_x + across * y + upwards * to_z) * near * near * near;
    for (int far = 16; far > 0; far /= 2) found[i] += __shfl_xor_sync(kMask, found[i], far);
  }
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = make_float4(found[0], found[1], found[2], found[3]);
  __syncthreads();
  if (threadIdx.x != 0) return;
  float4 sum = leads[blockIdx.y * kSide + blockIdx.x];
  for (const float4 warp : warps)
    sum = make_float4(sum.x + fabsf(warp.x), sum.y + fabsf(warp.y), sum.z + fabsf(warp.z),
                      sum.w + fabsf(warp.w));
  leads[blockIdx.y * kSide + blockIdx.x] = sum;
}

__global__ void __launch_bounds__(kThreads) rest(Tissue tissue) {
  const int own = own_place().own;
  tissue.volts[own] = 0;
  tissue.fast[own] = 1;
  tissue.slow[own] = 0.9F + 0.1F * mixed_fraction(static_cast<unsigned>(own));
}

void take_step(Tissue& tissue) {
  const dim3 lines(kSide, kSide), paced(kPaced, kPaced);
  const int since = tissue.step % kBeatEvery;
  if (since == 0) pace<<<paced, kPaced>>>(tissue.volts, 0);
  if (since == kBeatEvery / 4) pace<<<paced, kPaced>>>(tissue.volts, kPlane * (kSide / 2) + kSide / 2);
  beat<<<lines, kThreads>>>(tissue.later, tissue.fast, tissue.slow, tissue.volts);
  std::swap(tissue.volts, tissue.later);
  if (++tissue.step % kMeasureEvery == 0)
    measure_leads<<<lines, kThreads>>>(reinterpret_cast<float4*>(tissue.leads), tissue.volts);
}

Case make() {
  const auto tissue = std::make_shared<Tissue>();
  *tissue = {device_array<float>(kCells),
             device_array<float>(kCells),
             device_array<float>(kCells),
             device_array<float>(kCells),
             device_array<float>(kElectrodes * kPlane),
             0};
  CHECK(cudaMemset(tissue->leads, 0, kElectrodes * kPlane * sizeof(float)));
  rest<<<dim3(kSide, kSide), kThreads>>>(*tissue);
  CHECK(cudaGetLastError());
  return {[=] { take_step(*tissue); },
          [=] { return device_sum(tissue->leads, kElectrodes * kPlane) + device_sum(tissue->volts, kCells); },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, nullptr, [] { return make(); });
}
