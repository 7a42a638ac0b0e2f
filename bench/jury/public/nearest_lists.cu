// The 16 nearest of 2048 points for each of 131,072 others, in lists that each thread keeps.
// At fault: the length of a list is known at run time only, so that the lists lie in local memory. The
// pattern is that of facebookresearch/pytorch3d, pytorch3d/csrc/knn/knn.cu, which has versions with lists in
// registers.
#include <cfloat>

#include "../case.cuh"

namespace {

constexpr int kQueries = 131072, kPoints = 2048, kNearest = 16, kLongest = 32, kThreads = 256;

__device__ float squared_distance(const float4& a, const float4& b) {
  const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
  return x * x + y * y + z * z;
}

// The points pass through shared memory, 256 at a time.
__device__ void share_points(float4* shared, const float4* points, int first) {
  __syncthreads();
  shared[threadIdx.x] = points[first + static_cast<int>(threadIdx.x)];
  __syncthreads();
}

__global__ void nearest_of_any_length(float* sums, const float4* queries, const float4* points, int nearest) {
  __shared__ float4 shared[kThreads];
  const int query = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const float4 own = queries[query];
  float distances[kLongest];
  int indices[kLongest];
  for (int k = 0; k < nearest; ++k) distances[k] = FLT_MAX, indices[k] = -1;  // fault
  float worst = FLT_MAX;
  int place = 0;
  for (int first = 0; first < kPoints; first += kThreads) {
    share_points(shared, points, first);
    for (int j = 0; j < kThreads; ++j) {
      const float distance = squared_distance(own, shared[j]);
      if (distance >= worst) continue;
      distances[place] = distance;  // fault
      indices[place] = first + j;   // fault
      worst = -1;
      for (int k = 0; k < nearest; ++k) {
        if (distances[k] > worst) worst = distances[k], place = k;  // fault
      }
    }
  }
  float sum = 0;
  for (int k = 0; k < nearest; ++k) sum += distances[k] + static_cast<float>(indices[k] % 2);  // fault
  sums[query] = sum;
}

__global__ void nearest_in_registers(float* sums, const float4* queries, const float4* points) {
  __shared__ float4 shared[kThreads];
  const int query = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const float4 own = queries[query];
  float distances[kNearest];
  int indices[kNearest];
#pragma unroll
  for (int k = 0; k < kNearest; ++k) distances[k] = FLT_MAX, indices[k] = -1;
  float worst = FLT_MAX;
  int place = 0;
  for (int first = 0; first < kPoints; first += kThreads) {
    share_points(shared, points, first);
    for (int j = 0; j < kThreads; ++j) {
      const float distance = squared_distance(own, shared[j]);
      if (distance >= worst) continue;
      const int changed = place;
      worst = -1;
#pragma unroll
      for (int k = 0; k < kNearest; ++k) {
        if (k == changed) distances[k] = distance, indices[k] = first + j;
        if (distances[k] > worst) worst = distances[k], place = k;
      }
    }
  }
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kNearest; ++k) sum += distances[k] + static_cast<float>(indices[k] % 2);
  sums[query] = sum;
}

Case make(bool any_length) {
  auto* queries = device_array<float4>(kQueries);
  auto* points = device_array<float4>(kPoints);
  auto* sums = device_array<float>(kQueries);
  fill_fractions(reinterpret_cast<float*>(queries), std::size_t{4} * kQueries, 1);
  fill_fractions(reinterpret_cast<float*>(points), std::size_t{4} * kPoints, 1 << 24);
  return {[=] {
            if (any_length) {
              nearest_of_any_length<<<kQueries / kThreads, kThreads>>>(sums, queries, points, kNearest);
            } else {
              nearest_in_registers<<<kQueries / kThreads, kThreads>>>(sums, queries, points);
            }
          },
          [=] { return device_sum(sums, kQueries); }, 500};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
