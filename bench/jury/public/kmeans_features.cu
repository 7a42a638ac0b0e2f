// Assigns each point of 34 features to the nearest of 5 centres.
// At fault: the features of a point are contiguous, so that the lanes of a warp read words 136 bytes apart.
// The pattern is that of yuhc/gpu-rodinia, cuda/kmeans/kmeans_cuda_kernel.cu: its `invert_mapping` is the
// repair.
#include <cfloat>

#include "../case.cuh"

namespace {

constexpr int kCount = 819200, kFeatures = 34, kCentres = 5, kThreads = 256;

__constant__ float centres[kCentres * kFeatures];

__global__ void assign_point_major(int* membership, const float* features, int points) {
  const int point = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (point >= points) return;
  float nearest = FLT_MAX;
  int index = -1;
  for (int centre = 0; centre < kCentres; ++centre) {
    float distance = 0;
    for (int i = 0; i < kFeatures; ++i) {
      const float difference = features[point * kFeatures + i] - centres[centre * kFeatures + i];  // fault
      distance += difference * difference;
    }
    if (distance < nearest) nearest = distance, index = centre;
  }
  membership[point] = index;
}

__global__ void assign_feature_major(int* membership, const float* features, int points) {
  const int point = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (point >= points) return;
  float nearest = FLT_MAX;
  int index = -1;
  for (int centre = 0; centre < kCentres; ++centre) {
    float distance = 0;
    for (int i = 0; i < kFeatures; ++i) {
      const float difference = features[i * points + point] - centres[centre * kFeatures + i];
      distance += difference * difference;
    }
    if (distance < nearest) nearest = distance, index = centre;
  }
  membership[point] = index;
}

__global__ void fill_points(float* features, int points, bool point_major) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= points * kFeatures) return;
  const int point = point_major ? i / kFeatures : i % points,
            feature = point_major ? i % kFeatures : i / points;
  features[i] = mixed_fraction(static_cast<unsigned>(point * kFeatures + feature));
}

Case make(bool point_major) {
  auto* features = device_array<float>(static_cast<std::size_t>(kCount) * kFeatures);
  auto* membership = device_array<int>(kCount);
  fill_points<<<blocks_for(static_cast<std::size_t>(kCount) * kFeatures, 256), 256>>>(features, kCount,
                                                                                      point_major);
  auto* chosen = pinned_array<float>(kCentres * kFeatures);
  for (unsigned i = 0; i < kCentres * kFeatures; ++i) chosen[i] = mixed_fraction(i + 77);
  CHECK(cudaMemcpyToSymbol(centres, chosen, kCentres * kFeatures * sizeof(float)));
  CHECK(cudaFreeHost(chosen));
  return {[=] {
            auto* kernel = point_major ? assign_point_major : assign_feature_major;
            kernel<<<blocks_for(kCount, kThreads), kThreads>>>(membership, features, kCount);
          },
          [=] { return device_sum(membership + kCount / 2, 4096); }, 1000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
