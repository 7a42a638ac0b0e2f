// The 16 nearest of 512 candidates for each of 262,144 points, kept in order while their distances
// arrive.
// At fault: a candidate goes to a place of the list that is known at run time only, so the lists lie in
// local memory. The patterns are those of NVIDIA/raft, pull request 551, where such a buffer makes the
// search twice as slow, and of facebookresearch/pytorch3d, pytorch3d/csrc/utils/index_utils.cuh: fixed
// places stay in registers.
#include "../case.cuh"

namespace {

constexpr int kPoints = 1 << 18, kCandidates = 512, kKept = 16, kThreads = 128;
constexpr std::size_t kDistances = std::size_t{kPoints} * kCandidates;

struct Kept {
  float distances[kKept];
  int numbers[kKept];
};

__device__ void empty(Kept& kept) {
#pragma unroll
  for (int i = 0; i < kKept; ++i) {
    kept.distances[i] = 1e30F;
    kept.numbers[i] = -1;
  }
}

// Candidates of a point lie kPoints apart, points side by side.
__device__ void store(float* nearest, int* numbers, int point, const Kept& kept) {
#pragma unroll
  for (int i = 0; i < kKept; ++i) {
    nearest[i * kPoints + point] = kept.distances[i];
    numbers[i * kPoints + point] = kept.numbers[i];
  }
}

__global__ void nearest_by_place(float* nearest, int* numbers, const float* distances) {
  const int point = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  Kept kept;  // fault
  empty(kept);
  for (int candidate = 0; candidate < kCandidates; ++candidate) {
    const float distance = distances[std::size_t{kPoints} * candidate + point];
    if (distance >= kept.distances[kKept - 1]) continue;
    int place = kKept - 1;
    while (place > 0 && kept.distances[place - 1] > distance) {  // fault
      kept.distances[place] = kept.distances[place - 1];         // fault
      kept.numbers[place] = kept.numbers[place - 1];             // fault
      --place;
    }
    kept.distances[place] = distance;  // fault
    kept.numbers[place] = candidate;   // fault
  }
  store(nearest, numbers, point, kept);
}

// Each place takes its own value, that of its neighbour or the new one.
__global__ void nearest_in_registers(float* nearest, int* numbers, const float* distances) {
  const int point = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  Kept kept;
  empty(kept);
  for (int candidate = 0; candidate < kCandidates; ++candidate) {
    const float distance = distances[std::size_t{kPoints} * candidate + point];
    if (distance >= kept.distances[kKept - 1]) continue;
#pragma unroll
    for (int i = kKept - 1; i >= 0; --i) {
      const bool moves = i > 0 && kept.distances[i > 0 ? i - 1 : 0] > distance;
      const bool takes = !moves && kept.distances[i] > distance;
      const float before = kept.distances[i > 0 ? i - 1 : 0];
      const int number = kept.numbers[i > 0 ? i - 1 : 0];
      kept.distances[i] = moves ? before : takes ? distance : kept.distances[i];
      kept.numbers[i] = moves ? number : takes ? candidate : kept.numbers[i];
    }
  }
  store(nearest, numbers, point, kept);
}

Case make(bool by_place) {
  auto* distances = device_array<float>(kDistances);
  auto* nearest = device_array<float>(std::size_t{kPoints} * kKept);
  auto* numbers = device_array<int>(std::size_t{kPoints} * kKept);
  fill_fractions(distances, kDistances, 1);
  return {[=] {
            if (by_place) {
              nearest_by_place<<<kPoints / kThreads, kThreads>>>(nearest, numbers, distances);
            } else {
              nearest_in_registers<<<kPoints / kThreads, kThreads>>>(nearest, numbers, distances);
            }
          },
          [=] {
            constexpr std::size_t kAll = std::size_t{kPoints} * kKept;
            return device_sum(nearest, kAll) + device_sum(numbers, kAll) / kCandidates;
          },
          200};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
