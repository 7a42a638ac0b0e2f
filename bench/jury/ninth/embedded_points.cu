// Lays out 262,144 points in the plane, so that each is near its some 64 neighbours (t-SNE): ten steps a
// round along the attractions of pairs, which are listed row after row. A pull towards the first places
// stands in for the repulsion.
// At fault: each pair adds its force to the two words of its point with atomics, and the lanes of a warp
// have the same point. The pattern is that of NVIDIA/cuml, pull request 8565: pairs of a row are summed in
// the warp before the atomics.
#include <vector>

#include "../case.cuh"

namespace {

constexpr int kPoints = 1 << 18, kLeast = 48, kMost = 80, kThreads = 256, kSteps = 10, kRounds = 1000;
constexpr unsigned kAll = 0xffffffffU;

struct Pairs {
  int *rows, *columns;
  float* weights;
  int count;
};

struct Forces {
  float *x, *y;
};

__host__ __device__ int neighbours_of(int row) {
  return kLeast + static_cast<int>(mixed_bits(static_cast<unsigned>(row)) % (kMost - kLeast + 1));
}

// A warp writes the pairs of a row. Points are in an order in which neighbours are near.
__global__ void __launch_bounds__(kThreads) list_pairs(Pairs pairs, const int* starts) {
  const int row = static_cast<int>((blockIdx.x * kThreads + threadIdx.x) / 32);
  const int count = neighbours_of(row), start = starts[row];
  for (int i = static_cast<int>(threadIdx.x % 32); i < count; i += 32) {
    const int place = start + i;
    const int near = 2 * i + static_cast<int>(mixed_bits(static_cast<unsigned>(place)) % 2);
    pairs.rows[place] = row;
    pairs.columns[place] = (row - count + near + kPoints) % kPoints;
    pairs.weights[place] = (0.5F + mixed_fraction(static_cast<unsigned>(place) + 7)) / count;
  }
}

__global__ void place_points(float2* points, float2* first) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  points[i] = first[i] = make_float2(4 * mixed_fraction(2 * i), 4 * mixed_fraction(2 * i + 1));
}

__device__ float2 attraction(const Pairs& pairs, const float2* points, int row, int pair) {
  const float2 own = points[row], other = points[pairs.columns[pair]];
  const float x = own.x - other.x, y = own.y - other.y;
  const float strength = pairs.weights[pair] / (1 + x * x + y * y);
  return make_float2(strength * x, strength * y);
}

__global__ void __launch_bounds__(kThreads)
    attract_by_pair(Forces forces, Pairs pairs, const float2* __restrict__ points) {
  const int pair = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (pair >= pairs.count) return;
  const int row = pairs.rows[pair];
  const float2 force = attraction(pairs, points, row, pair);
  atomicAdd(&forces.x[row], force.x);  // fault
  atomicAdd(&forces.y[row], force.y);  // fault
}

// The last lane of a run of pairs with the same row adds the run's sum.
__global__ void __launch_bounds__(kThreads)
    attract_by_run(Forces forces, Pairs pairs, const float2* __restrict__ points) {
  const int pair = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const bool listed = pair < pairs.count;
  const int row = listed ? pairs.rows[pair] : -1;
  float2 force = listed ? attraction(pairs, points, row, pair) : make_float2(0, 0);
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int before = __shfl_up_sync(kAll, row, 1);
  const unsigned heads = __ballot_sync(kAll, lane == 0 || before != row);
  const int head = 31 - __clz(static_cast<int>(heads & (kAll >> (31 - lane))));
#pragma unroll
  for (int far = 1; far < 32; far *= 2) {
    const float x = __shfl_up_sync(kAll, force.x, far), y = __shfl_up_sync(kAll, force.y, far);
    if (lane - far >= head) force = make_float2(force.x + x, force.y + y);
  }
  const bool last = lane == 31 || ((heads >> (lane + 1)) & 1U) != 0;
  if (!listed || !last) return;
  atomicAdd(&forces.x[row], force.x);
  atomicAdd(&forces.y[row], force.y);
}

__global__ void __launch_bounds__(kThreads)
    move_points(float2* points, float* spreads, Forces forces, const float2* first) {
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const float2 home = first[i];
  float2 point = points[i];
  point.x += 0.2F * (0.1F * (home.x - point.x) - forces.x[i]);
  point.y += 0.2F * (0.1F * (home.y - point.y) - forces.y[i]);
  points[i] = point;
  spreads[i] = point.x * point.x + point.y * point.y;
  forces.x[i] = forces.y[i] = 0;
}

Pairs made_pairs() {
  std::vector<int> starts;
  int count = 0;
  for (int row = 0; row < kPoints; count += neighbours_of(row++)) starts.push_back(count);
  auto* places = device_array<int>(kPoints);
  CHECK(cudaMemcpy(places, starts.data(), kPoints * sizeof(int), cudaMemcpyHostToDevice));
  const auto all = static_cast<std::size_t>(count);
  const Pairs pairs{device_array<int>(all), device_array<int>(all), device_array<float>(all), count};
  list_pairs<<<kPoints / (kThreads / 32), kThreads>>>(pairs, places);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(places));
  return pairs;
}

Case make(bool by_pair) {
  const Pairs pairs = made_pairs();
  const Forces forces{device_array<float>(kPoints), device_array<float>(kPoints)};
  CHECK(cudaMemset(forces.x, 0, kPoints * sizeof(float)));
  CHECK(cudaMemset(forces.y, 0, kPoints * sizeof(float)));
  auto* points = device_array<float2>(kPoints);
  auto* first = device_array<float2>(kPoints);
  auto* spreads = device_array<float>(kPoints);
  place_points<<<kPoints / kThreads, kThreads>>>(points, first);
  CHECK(cudaGetLastError());
  const unsigned blocks = blocks_for(static_cast<std::size_t>(pairs.count), kThreads);
  return {[=] {
            for (int step = 0; step < kSteps; ++step) {
              if (by_pair) {
                attract_by_pair<<<blocks, kThreads>>>(forces, pairs, points);
              } else {
                attract_by_run<<<blocks, kThreads>>>(forces, pairs, points);
              }
              move_points<<<kPoints / kThreads, kThreads>>>(points, spreads, forces, first);
            }
          },
          [=] { return device_sum(spreads, kPoints); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
