// A survey of a cave: a scanner that is carried through a passage looks around four million times a scan,
// points are gathered in voxels (sorted by their keys), and what is found moves the next pose. Four scans a
// round.
#include <cub/cub.cuh>
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kPoints = 1 << 22, kThreads = 256, kColumns = 4096, kRows = kPoints / kColumns;
constexpr int kBits = 10, kSide = 1 << kBits, kKeyBits = 3 * kBits, kParts = 1056, kMarch = 32;
constexpr int kScansOfRound = 4, kRounds = 500;
constexpr unsigned kMask = 0xffffffffU;
constexpr float kVoxel = 0.025F, kRange = 12;

struct Pose {
  float x, y, z, heading;
};

// What a scan needs besides its points.
struct Scratch {
  unsigned *keys, *sorted_keys, *voxel_keys;
  int *order, *sorted_order, *counts, *starts, *voxels;
  void* temporary;
  std::size_t temporary_bytes;
};

struct Survey {
  float4 *points, *means;  // a mean's last number is how many points it has
  float4* parts;
  Pose* pose;
  Scratch scratch;
  cudaStream_t stream;
  int scan = 0;
};

// How far it is to the rock, at least.
__device__ float free_at(float x, float y, float z) {
  const float wide = 6 + 1.5F * __sinf(0.31F * x) + 1.1F * __cosf(0.23F * x + 1);
  const float across = y - 2 * __sinf(0.12F * x), up = 1.4F * (z - 0.7F * __sinf(0.19F * x));
  const float bumps = 0.25F * __sinf(1.7F * x) * __sinf(1.9F * y) * __sinf(2.3F * z);
  return 0.6F * (wide - sqrtf(across * across + up * up) + bumps);
}

// A thread has a direction; rows are heights, columns go around.
__global__ void __launch_bounds__(kThreads)
    look_around(float4* __restrict__ points, const Pose* __restrict__ pose, unsigned scan) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const Pose own = *pose;
  const float jitter = mixed_fraction(static_cast<unsigned>(i) ^ scan * 2654435761U);
  const float around = own.heading + 6.2831853F * (static_cast<float>(i % kColumns) + jitter) / kColumns;
  const float high = 1.2F * ((static_cast<float>(i / kColumns) + 0.5F) / kRows - 0.5F);
  float sine = 0, cosine = 0, up = 0, level = 0;
  __sincosf(around, &sine, &cosine);
  __sincosf(high, &up, &level);
  const float dx = cosine * level, dy = sine * level;
  float far = 0.3F;
  for (int step = 0; step < kMarch; ++step) {
    const float free = free_at(own.x + far * dx, own.y + far * dy, own.z + far * up);
    far += fmaxf(free, 0.002F);
    if (free < 0.002F || far > kRange) break;
  }
  far = fminf(far, kRange) + 0.01F * (jitter - 0.5F);
  points[i] = make_float4(own.x + far * dx, own.y + far * dy, own.z + far * up, far);
}

__device__ unsigned spread_bits(unsigned x) {
  x &= 0x3ff;
  x = (x | x << 16) & 0x030000ff;
  x = (x | x << 8) & 0x0300f00f;
  x = (x | x << 4) & 0x030c30c3;
  return (x | x << 2) & 0x09249249;
}

__device__ unsigned cell_of(float place, float middle) {
  const auto cell = static_cast<int>(floorf((place - middle) / kVoxel)) + kSide / 2;
  return static_cast<unsigned>(min(max(cell, 0), kSide - 1));
}

// Keys follow a curve, so that voxels that lie near each other have keys that do.
__global__ void __launch_bounds__(kThreads)
    key_points(unsigned* __restrict__ keys, int* __restrict__ order, const float4* __restrict__ points,
               const Pose* __restrict__ pose) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const Pose own = *pose;
  const float4 point = points[i];
  keys[i] = spread_bits(cell_of(point.x, own.x)) | spread_bits(cell_of(point.y, own.y)) << 1 |
            spread_bits(cell_of(point.z, own.z)) << 2;
  order[i] = i;
}

__device__ float4 sum_of(float4 one, float4 other) {
  return make_float4(one.x + other.x, one.y + other.y, one.z + other.z, one.w + other.w);
}

__device__ float4 block_sum(float4 sum) {
  __shared__ float4 warps[kThreads / 32];
  for (int far = 16; far > 0; far /= 2)
    sum = sum_of(sum, make_float4(__shfl_xor_sync(kMask, sum.x, far), __shfl_xor_sync(kMask, sum.y, far),
                                  __shfl_xor_sync(kMask, sum.z, far), __shfl_xor_sync(kMask, sum.w, far)));
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = make_float4(0, 0, 0, 0);
#pragma unroll
  for (int warp = 0; warp < kThreads / 32; ++warp) sum = sum_of(sum, warps[warp]);
  return sum;
}

// A thread has a voxel at a time. Parts: where the rock is, seen from the pose, and how many voxels.
__global__ void __launch_bounds__(kThreads)
    mean_points(float4* __restrict__ means, float4* __restrict__ parts, const float4* __restrict__ points,
                const int* __restrict__ order, const int* __restrict__ starts, const int* __restrict__ counts,
                const int* __restrict__ voxels, const Pose* __restrict__ pose) {
  const Pose own = *pose;
  const int all = *voxels;
  float4 part = make_float4(0, 0, 0, 0);
  for (int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x); i < all; i += kParts * kThreads) {
    const int count = counts[i], first = starts[i];
    float4 sum = make_float4(0, 0, 0, 0);
    for (int k = 0; k < count; ++k) sum = sum_of(sum, points[order[first + k]]);
    const float share = 1 / static_cast<float>(count);
    means[i] = make_float4(sum.x * share, sum.y * share, sum.z * share, static_cast<float>(count));
    part = sum_of(part, make_float4(sum.x * share - own.x, sum.y * share - own.y, sum.z * share - own.z, 1));
  }
  part = block_sum(part);
  if (threadIdx.x == 0) parts[blockIdx.x] = part;
}

// The surveyor goes on along the passage, and keeps to its middle. At its end he starts again.
__global__ void __launch_bounds__(kThreads) walk(Pose* pose, const float4* __restrict__ parts) {
  float4 sum = make_float4(0, 0, 0, 0);
  for (int i = static_cast<int>(threadIdx.x); i < kParts; i += kThreads) sum = sum_of(sum, parts[i]);
  sum = block_sum(sum);
  if (threadIdx.x != 0) return;
  const float share = 1 / fmaxf(sum.w, 1);
  pose->x = pose->x + 0.02F < 60 ? pose->x + 0.02F : 0;
  pose->y += 0.2F * fminf(fmaxf(sum.y * share, -1), 1);
  pose->z += 0.2F * fminf(fmaxf(sum.z * share, -1), 1);
  pose->heading = fmodf(pose->heading + 0.01F + 0.001F * sum.x * share, 6.2831853F);
}

std::size_t temporary_bytes_of(Scratch scratch) {
  std::size_t sort = 0, encode = 0, scan = 0;
  CHECK(cub::DeviceRadixSort::SortPairs(nullptr, sort, scratch.keys, scratch.sorted_keys, scratch.order,
                                        scratch.sorted_order, kPoints, 0, kKeyBits));
  CHECK(cub::DeviceRunLengthEncode::Encode(nullptr, encode, scratch.sorted_keys, scratch.voxel_keys,
                                           scratch.counts, scratch.voxels, kPoints));
  CHECK(cub::DeviceScan::ExclusiveSum(nullptr, scan, scratch.counts, scratch.starts, kPoints));
  return std::max(sort, std::max(encode, scan));
}

void acquire(Scratch& scratch) {
  for (unsigned** keys : {&scratch.keys, &scratch.sorted_keys, &scratch.voxel_keys})
    CHECK(cudaMalloc(keys, kPoints * sizeof(unsigned)));  // fault
  for (int** numbers : {&scratch.order, &scratch.sorted_order, &scratch.counts, &scratch.starts})
    CHECK(cudaMalloc(numbers, kPoints * sizeof(int)));  // fault
  CHECK(cudaMalloc(&scratch.voxels, sizeof(int)));      // fault
  scratch.temporary_bytes = temporary_bytes_of(scratch);
  CHECK(cudaMalloc(&scratch.temporary, scratch.temporary_bytes));  // fault
}

void release(const Scratch& scratch) {
  for (unsigned* keys : {scratch.keys, scratch.sorted_keys, scratch.voxel_keys})
    CHECK(cudaFree(keys));  // fault
  for (int* numbers : {scratch.order, scratch.sorted_order, scratch.counts, scratch.starts, scratch.voxels})
    CHECK(cudaFree(numbers));          // fault
  CHECK(cudaFree(scratch.temporary));  // fault
}

// How long the scratch of a scan lives.
struct OfScan {
  static void open(Scratch&) {}
  static void begin(Scratch& scratch) { acquire(scratch); }      // fault
  static void end(const Scratch& scratch) { release(scratch); }  // fault
};

struct OfSurvey {
  static void open(Scratch& scratch) { acquire(scratch); }
  static void begin(Scratch&) {}
  static void end(const Scratch&) {}
};

void gather(Survey& survey) {
  Scratch& own = survey.scratch;
  key_points<<<kPoints / kThreads, kThreads, 0, survey.stream>>>(own.keys, own.order, survey.points,
                                                                 survey.pose);
  CHECK(cub::DeviceRadixSort::SortPairs(own.temporary, own.temporary_bytes, own.keys, own.sorted_keys,
                                        own.order, own.sorted_order, kPoints, 0, kKeyBits, survey.stream));
  CHECK(cub::DeviceRunLengthEncode::Encode(own.temporary, own.temporary_bytes, own.sorted_keys,
                                           own.voxel_keys, own.counts, own.voxels, kPoints, survey.stream));
  CHECK(cub::DeviceScan::ExclusiveSum(own.temporary, own.temporary_bytes, own.counts, own.starts, kPoints,
                                      survey.stream));
  mean_points<<<kParts, kThreads, 0, survey.stream>>>(survey.means, survey.parts, survey.points,
                                                      own.sorted_order, own.starts, own.counts, own.voxels,
                                                      survey.pose);
}

template <class Life>
void next_scan(Survey& survey) {
  const auto scan = static_cast<unsigned>(survey.scan++);
  Life::begin(survey.scratch);  // fault
  look_around<<<kPoints / kThreads, kThreads, 0, survey.stream>>>(survey.points, survey.pose, scan);
  gather(survey);
  walk<<<1, kThreads, 0, survey.stream>>>(survey.pose, survey.parts);
  Life::end(survey.scratch);  // fault
}

template <class Life>
Case make() {
  const auto survey = std::make_shared<Survey>();
  survey->points = device_array<float4>(kPoints);
  survey->means = device_array<float4>(kPoints);
  survey->parts = device_array<float4>(kParts);
  survey->pose = device_array<Pose>(1);
  CHECK(cudaMemset(survey->means, 0, kPoints * sizeof(float4)));
  CHECK(cudaMemset(survey->pose, 0, sizeof(Pose)));
  Life::open(survey->scratch);
  CHECK(cudaStreamCreateWithFlags(&survey->stream, cudaStreamNonBlocking));
  const auto round = [=] {
    for (int i = 0; i < kScansOfRound; ++i) next_scan<Life>(*survey);
  };
  const auto sum = [=] {
    return device_sum(reinterpret_cast<const float*>(survey->means), 1 << 18) +
           device_sum(reinterpret_cast<const float*>(survey->pose), 4);
  };
  return {round, sum, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, make<OfScan>, make<OfSurvey>);
}
