// A lidar on a mast looks over an orchard while the mast sways in the wind: points of a scan are turned to
// the orchard's frame, sorted by voxels and thinned to one point for each voxel. A map keeps where something
// stands and how high it is. Four scans a round.
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <memory>
#include <vector>

#include "../case.cuh"

namespace {

constexpr int kPoints = 1 << 22, kThreads = 256, kBlocks = kPoints / kThreads, kScans = 4, kRounds = 600;
constexpr int kSideBits = 9, kHighBits = 5, kVoxelBits = 2 * kSideBits + kHighBits;
constexpr int kSide = 1 << kSideBits, kHigh = 1 << kHighBits, kVoxels = 1 << kVoxelBits,
              kColumns = kSide * kSide;
constexpr int kAverageBlocks = 132 * 8;
constexpr float kVoxel = 0.1F, kSeen = 0.4F, kFade = 0.05F, kLimit = 4;

using Key = unsigned;

struct Pose {
  float x, y, sine, cosine;
};

// Memory of the GPU that belongs to whoever made it.
template <class T>
class Buffer {
 public:
  explicit Buffer(std::size_t n) { CHECK(cudaMalloc(&data_, n * sizeof(T))); }  // fault
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { cudaFree(data_); }  // fault

  T* data() const { return data_; }

 private:
  T* data_ = nullptr;
};

struct Orchard {
  Buffer<float4> scan{kPoints};
  Buffer<Key> keys{kPoints}, sorted_keys{kPoints};
  Buffer<float4> points{kPoints}, sorted_points{kPoints}, thinned{kPoints};
  Buffer<float> standing{kVoxels}, heights{kColumns};
  int scans = 0;
};

// What the filter needs beside the points.
struct Workspace {
  explicit Workspace(std::size_t bytes)
      : voxels(kPoints), counts(kPoints), firsts(kPoints), runs(1), storage(bytes) {}  // fault

  Buffer<Key> voxels;
  Buffer<int> counts, firsts, runs;
  Buffer<char> storage;
};

__device__ Key voxel_of(float4 point) {
  const auto side = [](float place) {
    return static_cast<Key>(min(max(static_cast<int>(place / kVoxel) + kSide / 2, 0), kSide - 1));
  };
  const auto high = static_cast<Key>(min(max(static_cast<int>(point.z / kVoxel), 0), kHigh - 1));
  return (high << kSideBits | side(point.y)) << kSideBits | side(point.x);
}

__global__ void __launch_bounds__(kThreads)
    turn_points(Key* __restrict__ keys, float4* __restrict__ points, const float4* __restrict__ scan,
                Pose pose, unsigned seed) {
  const auto i = blockIdx.x * kThreads + threadIdx.x;
  const float4 seen = scan[i];
  const float shaken = 1 + 0.004F * (mixed_fraction(i + seed) - 0.5F);
  const float x = shaken * seen.x, y = shaken * seen.y;
  const float4 point = make_float4(pose.x + pose.cosine * x - pose.sine * y,
                                   pose.y + pose.sine * x + pose.cosine * y, shaken * seen.z, seen.w);
  keys[i] = voxel_of(point);
  points[i] = point;
}

// A thread takes the mean of the points of a voxel, which follow one another.
__global__ void __launch_bounds__(kThreads)
    average_voxels(float4* __restrict__ thinned, const float4* __restrict__ points,
                   const int* __restrict__ firsts, const int* __restrict__ counts,
                   const int* __restrict__ runs) {
  const int voxels = *runs;
  for (auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x); i < voxels;
       i += kAverageBlocks * kThreads) {
    const int count = counts[i];
    const float4* of_voxel = points + firsts[i];
    float4 sum = make_float4(0, 0, 0, 0);
    for (int j = 0; j < count; ++j) {
      const float4 point = of_voxel[j];
      sum = make_float4(sum.x + point.x, sum.y + point.y, sum.z + point.z, sum.w + point.w);
    }
    const float share = 1 / static_cast<float>(count);
    thinned[i] = make_float4(share * sum.x, share * sum.y, share * sum.z, share * sum.w);
  }
}

// A voxel is in the list once, so nobody else writes its place.
__global__ void __launch_bounds__(kThreads)
    mark_voxels(float* __restrict__ standing, const Key* __restrict__ voxels,
                const float4* __restrict__ thinned, const int* __restrict__ counts,
                const int* __restrict__ runs) {
  const int seen = *runs;
  for (auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x); i < seen;
       i += kAverageBlocks * kThreads) {
    const float weight = kSeen * fminf(1, 0.25F * static_cast<float>(counts[i])) * (0.5F + thinned[i].w);
    const Key voxel = voxels[i];
    standing[voxel] = fminf(standing[voxel] + weight, kLimit);
  }
}

// Goes up through a column of voxels: what was seen fades, and the highest voxel in which something stands is
// the height of the trees there.
__global__ void __launch_bounds__(kThreads)
    find_heights(float* __restrict__ heights, float* __restrict__ standing) {
  const auto column = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  float height = 0;
#pragma unroll 8
  for (int z = 0; z < kHigh; ++z) {
    const float here = fmaxf(standing[z * kColumns + column] - kFade, 0);
    standing[z * kColumns + column] = here;
    if (here > 1) height = kVoxel * static_cast<float>(z + 1);
  }
  heights[column] = 0.98F * heights[column] + 0.02F * height;
}

// Rows of trees with crowns like balls on trunks, grass between them, seen from the middle.
__global__ void __launch_bounds__(kThreads) look_around(float4* scan) {
  const auto i = blockIdx.x * kThreads + threadIdx.x;
  const auto random = [&](unsigned seed) { return mixed_fraction(i + seed * 10000019U); };
  const float turn = 6.2831853F * random(1), far = 24 * sqrtf(random(2));
  float x = far * __cosf(turn), y = far * __sinf(turn), z = 0.15F * random(3);
  if (random(4) < 0.7F) {
    const float tree_x = 4 * roundf(x / 4), tree_y = 3 * roundf(y / 3), up = random(5);
    const float wide = up < 0.2F ? 0.15F : 1.2F * __sinf(3.1415926F * (up - 0.15F));
    const float around = 6.2831853F * random(6);
    x = tree_x + wide * __cosf(around);
    y = tree_y + wide * __sinf(around);
    z = 3 * up;
  }
  scan[i] = make_float4(x, y, z, random(7));
}

Pose pose_of(int scan) {
  const auto time = static_cast<float>(scan);
  const float turn = 0.02F * std::sin(0.11F * time);
  return {0.4F * std::sin(0.23F * time), 0.3F * std::sin(0.17F * time), std::sin(turn), std::cos(turn)};
}

// How much storage the most demanding step of the filter asks for.
std::size_t storage_bytes() {
  const auto* keys = static_cast<const Key*>(nullptr);
  auto* voxels = static_cast<Key*>(nullptr);
  auto* numbers = static_cast<int*>(nullptr);
  const auto* points = static_cast<const float4*>(nullptr);
  auto* sorted = static_cast<float4*>(nullptr);
  std::size_t sorting = 0, counting = 0, scanning = 0;
  CHECK(cub::DeviceRadixSort::SortPairs(nullptr, sorting, keys, voxels, points, sorted, kPoints, 0,
                                        kVoxelBits));
  CHECK(cub::DeviceRunLengthEncode::Encode(nullptr, counting, keys, voxels, numbers, numbers, kPoints));
  CHECK(cub::DeviceScan::ExclusiveSum(nullptr, scanning, numbers, numbers, kPoints));
  return std::max({sorting, counting, scanning});
}

// One point for each voxel. Counts behind the last voxel are scanned, too, and nobody reads them.
void thin(const Orchard& orchard, const Workspace& work, std::size_t bytes) {
  void* storage = work.storage.data();
  CHECK(cub::DeviceRadixSort::SortPairs(storage, bytes, orchard.keys.data(), orchard.sorted_keys.data(),
                                        orchard.points.data(), orchard.sorted_points.data(), kPoints, 0,
                                        kVoxelBits));
  CHECK(cub::DeviceRunLengthEncode::Encode(storage, bytes, orchard.sorted_keys.data(), work.voxels.data(),
                                           work.counts.data(), work.runs.data(), kPoints));
  CHECK(cub::DeviceScan::ExclusiveSum(storage, bytes, work.counts.data(), work.firsts.data(), kPoints));
  average_voxels<<<kAverageBlocks, kThreads>>>(orchard.thinned.data(), orchard.sorted_points.data(),
                                               work.firsts.data(), work.counts.data(), work.runs.data());
  mark_voxels<<<kAverageBlocks, kThreads>>>(orchard.standing.data(), work.voxels.data(),
                                            orchard.thinned.data(), work.counts.data(), work.runs.data());
}

class ThinByCall {
 public:
  void operator()(const Orchard& orchard) const {
    const std::size_t bytes = storage_bytes();
    const Workspace work(bytes);  // fault
    thin(orchard, work, bytes);
  }
};

class ThinByFilter {
 public:
  void operator()(const Orchard& orchard) const { thin(orchard, *work_, bytes_); }

 private:
  std::size_t bytes_ = storage_bytes();
  std::shared_ptr<Workspace> work_ = std::make_shared<Workspace>(bytes_);
};

template <class Thin>
void look(Orchard& orchard, const Thin& thin_points) {
  const int scan = orchard.scans++;
  turn_points<<<kBlocks, kThreads>>>(orchard.keys.data(), orchard.points.data(), orchard.scan.data(),
                                     pose_of(scan), static_cast<unsigned>(scan) * kPoints);
  thin_points(orchard);
  find_heights<<<kColumns / kThreads, kThreads>>>(orchard.heights.data(), orchard.standing.data());
}

template <class Thin>
Case make() {
  const auto orchard = std::make_shared<Orchard>();
  const auto thin_points = std::make_shared<Thin>();
  look_around<<<kBlocks, kThreads>>>(orchard->scan.data());
  CHECK(cudaMemset(orchard->standing.data(), 0, kVoxels * sizeof(float)));
  CHECK(cudaMemset(orchard->heights.data(), 0, kColumns * sizeof(float)));
  const auto round = [=] {
    for (int i = 0; i < kScans; ++i) look(*orchard, *thin_points);
  };
  const auto sum = [=] {
    return device_sum(orchard->heights.data(), kColumns) + device_sum(orchard->standing.data(), kVoxels);
  };
  return {round, sum, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, make<ThinByCall>, make<ThinByFilter>);
}
