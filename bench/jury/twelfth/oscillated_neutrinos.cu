// Compares 16 million simulated neutrino events with observed counts in 16,384 bins, at points along a
// path through the parameters of the oscillation: each event is weighed, weights and their squares are
// summed in its bin, and the bins give a logarithm of the likelihood. Events lie in the order of their
// bins.
// At fault: each event adds to its bin with atomics, so the lanes of a warp meet in the same words. The
// pattern is that of gundam-organization/gundam, pull request 533: a sum in parallel instead of
// atomics.
#include <memory>
#include <vector>

#include "../case.cuh"

namespace {

constexpr int kBins = 16384, kThreads = 256, kWarps = kThreads / 32, kFewest = 256, kSpread = 1536;
constexpr int kKinds = 8, kRounds = 9000;
constexpr double kPrior = 1e-4;

// At the detector: energy in GeV, and how the weight answers to the energy scale.
struct Events {
  float* energies;
  float4* curves;
  unsigned* kinds;
};

// A point of the path: the two mixings, the difference of squared masses, and the energy scale.
struct Point {
  float vanishing, appearing, masses, scale;
  float norms[kKinds];
};

// A bin begins at its own start and ends at the next one.
struct Sample {
  Events events;
  int *starts, *bins, count;
};

// Of the weights and of their squares.
struct Sums {
  double *weights, *squares;
};

// Kinds 0 to 3 vanish on their way, the others appear.
__device__ float oscillated(const Point& point, float energy, unsigned kind) {
  const float wave = __sinf(1.267F * 295 * point.masses / energy), part = wave * wave;
  return kind < kKinds / 2 ? 1 - point.vanishing * part : point.appearing * part;
}

__global__ void __launch_bounds__(kThreads)
    weigh_events(float* __restrict__ weights, Events events, int count, const __grid_constant__ Point point) {
  __shared__ float norms[kKinds];
  if (threadIdx.x < kKinds) norms[threadIdx.x] = point.norms[threadIdx.x];
  __syncthreads();
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (i >= count) return;
  const float energy = events.energies[i], scale = point.scale;
  const float4 curve = events.curves[i];
  const unsigned kind = events.kinds[i];
  const float answer = curve.x + scale * (curve.y + scale * (curve.z + scale * curve.w));
  weights[i] = norms[kind] * fmaxf(answer, 0) * oscillated(point, energy, kind);
}

__global__ void __launch_bounds__(kThreads)
    add_events(Sums sums, const float* __restrict__ weights, const int* __restrict__ bins, int count) {
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (i >= count) return;
  const double weight = weights[i];
  const int bin = bins[i];
  atomicAdd(&sums.weights[bin], weight);           // fault
  atomicAdd(&sums.squares[bin], weight * weight);  // fault
}

__device__ double added_in_warp(double value) {
#pragma unroll
  for (int far = 16; far > 0; far /= 2) value += __shfl_xor_sync(0xffffffffU, value, far);
  return value;
}

// A warp has a bin.
__global__ void __launch_bounds__(kThreads)
    add_bins(Sums sums, const float* __restrict__ weights, const int* __restrict__ starts) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int bin = static_cast<int>(blockIdx.x * kThreads + threadIdx.x) / 32;
  const int end = starts[bin + 1];
  double sum = 0, squares = 0;
#pragma unroll 8
  for (int i = starts[bin] + lane; i < end; i += 32) {
    const double weight = weights[i];
    sum += weight;
    squares += weight * weight;
  }
  sum = added_in_warp(sum);
  squares = added_in_warp(squares);
  if (lane != 0) return;
  sums.weights[bin] = sum;
  sums.squares[bin] = squares;
}

// The simulation has an error, too, which its own parameter in each bin takes up.
__device__ double misfit(double expected, double square, double observed) {
  const double wide = square / (expected * expected) + kPrior;
  const double half = 0.5 * (expected * wide - 1);
  const double factor = -half + sqrt(half * half + observed * wide);
  const double mean = fmax(expected * factor, 1e-6), off = factor - 1;
  return mean - observed + observed * log((observed + 1e-6) / mean) + 0.5 * off * off / wide;
}

__global__ void __launch_bounds__(kThreads) compare(double* trace, Sums sums, const double* observed) {
  __shared__ double parts[kWarps];
  const int bin = static_cast<int>(blockIdx.x * kThreads + threadIdx.x), lane = bin % 32;
  double sum = added_in_warp(misfit(sums.weights[bin], sums.squares[bin], observed[bin]));
  if (lane == 0) parts[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int part = 1; part < kWarps; ++part) sum += parts[part];
  atomicAdd(trace, sum);
}

// A block has a bin.
__global__ void __launch_bounds__(kThreads) make_events(Sample sample) {
  const int bin = static_cast<int>(blockIdx.x), end = sample.starts[bin + 1];
  const int kind = bin % kKinds, place = bin / kKinds;
  for (int i = sample.starts[bin] + static_cast<int>(threadIdx.x); i < end; i += kThreads) {
    const auto drawn = [=](unsigned which) { return mixed_fraction(8 * static_cast<unsigned>(i) + which); };
    sample.bins[i] = bin;
    sample.events.kinds[i] = static_cast<unsigned>(kind);
    sample.events.energies[i] = 0.2F + 0.0012F * (static_cast<float>(place) + drawn(0));
    sample.events.curves[i] =
        make_float4(0.5F + drawn(1), drawn(2) - 0.5F, 0.4F * drawn(3) - 0.2F, 0.2F * drawn(4) - 0.1F);
  }
}

__global__ void __launch_bounds__(kThreads) observe(double* observed, Sums sums) {
  const unsigned bin = blockIdx.x * kThreads + threadIdx.x;
  const double mean = sums.weights[bin];
  observed[bin] = floor(fmax(mean + 3.4 * sqrt(mean) * (mixed_fraction(bin + 31) - 0.5), 0.0));
}

Sample made_sample() {
  std::vector<int> starts{0};
  for (unsigned bin = 0; bin < kBins; ++bin)
    starts.push_back(starts.back() + kFewest + static_cast<int>(mixed_bits(bin) % kSpread));
  Sample sample{};
  sample.count = starts.back();
  const auto count = static_cast<std::size_t>(sample.count);
  sample.events = {device_array<float>(count), device_array<float4>(count), device_array<unsigned>(count)};
  sample.starts = device_array<int>(starts.size());
  sample.bins = device_array<int>(count);
  CHECK(cudaMemcpy(sample.starts, starts.data(), starts.size() * sizeof(int), cudaMemcpyHostToDevice));
  make_events<<<kBins, kThreads>>>(sample);
  CHECK(cudaGetLastError());
  return sample;
}

Point point_at(int number) {
  const float along = static_cast<float>(number % 500) / 500;
  Point point{0.9F + 0.1F * along, 0.04F + 0.02F * along, 0.0024F + 0.0002F * along, 0.2F * along - 0.1F, {}};
  for (int kind = 0; kind < kKinds; ++kind) point.norms[kind] = 0.95F + 0.0125F * static_cast<float>(kind);
  return point;
}

Case make(bool atomics) {
  const Sample sample = made_sample();
  const unsigned blocks = blocks_for(sample.count, kThreads);
  auto* weights = device_array<float>(sample.count);
  // Side by side.
  auto* both = device_array<double>(2 * kBins);
  const Sums sums{both, both + kBins};
  auto* observed = device_array<double>(kBins);
  auto* trace = device_array<double>(kRounds);
  CHECK(cudaMemset(trace, 0, kRounds * sizeof(double)));
  weigh_events<<<blocks, kThreads>>>(weights, sample.events, sample.count, point_at(250));
  add_bins<<<kBins / kWarps, kThreads>>>(sums, weights, sample.starts);
  observe<<<kBins / kThreads, kThreads>>>(observed, sums);
  CHECK(cudaGetLastError());
  auto number = std::make_shared<int>(0);
  return {[=] {
            weigh_events<<<blocks, kThreads>>>(weights, sample.events, sample.count, point_at(*number));
            if (atomics) {
              CHECK(cudaMemsetAsync(both, 0, 2 * kBins * sizeof(double)));
              add_events<<<blocks, kThreads>>>(sums, weights, sample.bins, sample.count);
            } else {
              add_bins<<<kBins / kWarps, kThreads>>>(sums, weights, sample.starts);
            }
            compare<<<kBins / kThreads, kThreads>>>(trace + *number, sums, observed);
            ++*number;
          },
          [=] { return device_sum(trace, kRounds); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
