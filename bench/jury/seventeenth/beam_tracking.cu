// Tracks a bunch of 8.4 million particles around an accelerator: drifts, quadrupole magnets and a cavity, and
// the moments of the bunch at a monitor. A cell of the ring (drift, magnet, drift, cavity, monitor) a round.
// At fault: the particles lie as records of 64 bytes, so the lanes of a warp read numbers that are 64 bytes
// apart, and whole sectors travel for the few of them that an element needs; an array for each number would
// not. The pattern is that of quokka-astro/quokka, issue 515 (BLAST-WarpX/impactx, pull request 348, told
// there): arrays of particles' numbers, 1.73 to 2.25 times as fast.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kParticles = 1 << 23, kThreads = 256, kBlocks = kParticles / kThreads, kRounds = 4600;
constexpr int kMonitorBlocks = 132 * 8, kMoments = 6, kMonitors = 16;
constexpr unsigned kMask = 0xffffffffU;

struct Particle {
  double x, px, y, py, t, pt, weight;
  unsigned long long id;
};

// Both layouts offer the same names.
struct Records {
  Particle* all;

  static Records of(int count) { return {device_array<Particle>(count)}; }
  __device__ double& x(int i) const { return all[i].x; }                // fault
  __device__ double& px(int i) const { return all[i].px; }              // fault
  __device__ double& y(int i) const { return all[i].y; }                // fault
  __device__ double& py(int i) const { return all[i].py; }              // fault
  __device__ double& t(int i) const { return all[i].t; }                // fault
  __device__ double& pt(int i) const { return all[i].pt; }              // fault
  __device__ double& weight(int i) const { return all[i].weight; }      // fault
  __device__ unsigned long long& id(int i) const { return all[i].id; }  // fault
};

struct Columns {
  double *xs, *pxs, *ys, *pys, *ts, *pts, *weights;
  unsigned long long* ids;

  static Columns of(int count) {
    const auto column = [=] { return device_array<double>(count); };
    return {column(), column(), column(), column(),
            column(), column(), column(), device_array<unsigned long long>(count)};
  }
  __device__ double& x(int i) const { return xs[i]; }
  __device__ double& px(int i) const { return pxs[i]; }
  __device__ double& y(int i) const { return ys[i]; }
  __device__ double& py(int i) const { return pys[i]; }
  __device__ double& t(int i) const { return ts[i]; }
  __device__ double& pt(int i) const { return pts[i]; }
  __device__ double& weight(int i) const { return weights[i]; }
  __device__ unsigned long long& id(int i) const { return ids[i]; }
};

__device__ int own_particle() {
  return static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
}

template <class Bunch>
__global__ void __launch_bounds__(kThreads) drift(Bunch bunch, double length, double slip) {
  const int i = own_particle();
  const double px = bunch.px(i), py = bunch.py(i), pt = bunch.pt(i);  // fault
  const double shift = length * (1 - pt);
  bunch.x(i) += shift * px;                                        // fault
  bunch.y(i) += shift * py;                                        // fault
  bunch.t(i) += length * (slip * pt - 0.5 * (px * px + py * py));  // fault
}

template <class Bunch>
__global__ void __launch_bounds__(kThreads) focus(Bunch bunch, double strength) {
  const int i = own_particle();
  bunch.px(i) -= strength * bunch.x(i);  // fault
  bunch.py(i) += strength * bunch.y(i);  // fault
}

template <class Bunch>
__global__ void __launch_bounds__(kThreads) accelerate(Bunch bunch, double volts) {
  const int i = own_particle();
  bunch.pt(i) -= volts * sinpi(bunch.t(i));  // fault
}

// Weighted sums of places and of their squares.
template <class Bunch>
__global__ void __launch_bounds__(kThreads) monitor(double* moments, Bunch bunch) {
  __shared__ double warps[kMoments][kThreads / 32];
  double sums[kMoments]{};
  for (int i = own_particle(); i < kParticles; i += kMonitorBlocks * kThreads) {
    const double weight = bunch.weight(i), x = bunch.x(i), y = bunch.y(i), t = bunch.t(i);  // fault
    const double terms[kMoments] = {x, y, t, x * x, y * y, t * t};
    for (int k = 0; k < kMoments; ++k) sums[k] += weight * terms[k];
  }
  for (int k = 0; k < kMoments; ++k) {
    for (int far = 16; far > 0; far /= 2) sums[k] += __shfl_xor_sync(kMask, sums[k], far);
    if (threadIdx.x % 32 == 0) warps[k][threadIdx.x / 32] = sums[k];
  }
  __syncthreads();
  if (threadIdx.x >= kMoments) return;
  double sum = 0;
  for (const double warp : warps[threadIdx.x]) sum += warp;
  atomicAdd(moments + threadIdx.x, sum);
}

template <class Bunch>
__global__ void __launch_bounds__(kThreads) inject(Bunch bunch) {
  const int i = own_particle();
  const auto centred = [&](unsigned salt) {
    const unsigned at = static_cast<unsigned>(i) * 8 + salt;
    return mixed_fraction(at) + mixed_fraction(~at) - 1.0;
  };
  bunch.x(i) = 2e-3 * centred(0);
  bunch.px(i) = 4e-4 * centred(1);
  bunch.y(i) = 2e-3 * centred(2);
  bunch.py(i) = 4e-4 * centred(3);
  bunch.t(i) = 0.2 * centred(4);
  bunch.pt(i) = 2e-3 * centred(5);
  bunch.weight(i) = 1 + 0.1 * centred(6);
  bunch.id(i) = static_cast<unsigned long long>(i);
}

template <class Bunch>
void pass_cell(Bunch bunch, double* moments, int turn) {
  const double sign = turn % 2 == 0 ? 1 : -1;
  drift<<<kBlocks, kThreads>>>(bunch, 0.6, 0.8);
  focus<<<kBlocks, kThreads>>>(bunch, sign * 0.5);
  drift<<<kBlocks, kThreads>>>(bunch, 0.6, 0.8);
  accelerate<<<kBlocks, kThreads>>>(bunch, 2e-4);
  monitor<<<kMonitorBlocks, kThreads>>>(moments + turn % kMonitors * kMoments, bunch);
}

template <class Bunch>
Case make() {
  const Bunch bunch = Bunch::of(kParticles);
  auto* moments = device_array<double>(kMonitors * kMoments);
  CHECK(cudaMemset(moments, 0, kMonitors * kMoments * sizeof(double)));
  inject<<<kBlocks, kThreads>>>(bunch);
  CHECK(cudaGetLastError());
  const auto turn = std::make_shared<int>(0);
  return {[=] { pass_cell(bunch, moments, (*turn)++); },
          [=] { return device_sum(moments, kMonitors * kMoments); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, make<Records>, make<Columns>);
}
