// Joins the pictures of eight cameras to a ring: along each of eight seams two pictures of 2048 x 1024 pixels
// are blended by pyramids, coarse parts over a wide strip and fine parts over a narrow one. A ring a round;
// the cameras' exposure changes in each.
// At fault: what is needed between the steps of a blend is allocated when a ring begins and freed when it is
// done, nine arrays of up to 34 MB, and the GPU has nothing to do meanwhile; the arrays could be kept for the
// next ring. The pattern is that of opencv/opencv, pull request 11401: a blender that is prepared once for
// many pictures, 2.74 times as fast, and FLAMEGPU/FLAMEGPU, issue 195: temporary memory allocated and freed
// in each iteration.
#include <map>
#include <memory>
#include <vector>

#include "../case.cuh"

namespace {

constexpr int kWide = 2048, kHigh = 1024, kPixels = kWide * kHigh, kLevels = 5, kSeams = 8, kBlock = 256;
constexpr int kPhotos = kSeams + 1, kRounds = 2000;

// The two pictures of a seam lie one behind the other.
struct Size {
  int wide, high;

  __host__ __device__ int pixels() const { return wide * high; }
  Size half() const { return {wide / 2, high / 2}; }
};

__device__ float4 plus(float4 one, float4 other, float share) {
  return make_float4(one.x + share * other.x, one.y + share * other.y, one.z + share * other.z,
                     one.w + share * other.w);
}

__device__ float4 between(float4 one, float4 other, float share) {
  return make_float4(one.x + share * (other.x - one.x), one.y + share * (other.y - one.y),
                     one.z + share * (other.z - one.z), one.w + share * (other.w - one.w));
}

__device__ int limited(int at, int size) {
  return min(max(at, 0), size - 1);
}

// A pixel of the coarse picture is the mean of 4 x 4, whose middle counts three times as much each way.
__global__ void __launch_bounds__(kBlock) shrink(float4* __restrict__ coarse, const float4* __restrict__ one,
                                                 const float4* __restrict__ other, Size fine) {
  const int wide = fine.wide / 2, high = fine.high / 2;
  const auto i = static_cast<int>(blockIdx.x * kBlock + threadIdx.x);
  if (i >= wide * high) return;
  const float4* from = blockIdx.y == 0 ? one : other;
  const int column = i % wide, row = i / wide;
  float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll
  for (int y = -1; y <= 2; ++y) {
    const float4* line = from + limited(2 * row + y, fine.high) * fine.wide;
#pragma unroll
    for (int x = -1; x <= 2; ++x) {
      const float weight = (y == -1 || y == 2 ? 1.0F : 3.0F) * (x == -1 || x == 2 ? 1.0F : 3.0F) / 64;
      sum = plus(sum, line[limited(2 * column + x, fine.wide)], weight);
    }
  }
  coarse[static_cast<int>(blockIdx.y) * wide * high + i] = sum;
}

// The coarse picture at a pixel of the fine one.
__device__ float4 enlarged(const float4* coarse, int column, int row, Size fine) {
  const int wide = fine.wide / 2, high = fine.high / 2;
  const int west = (column + 1) / 2 - 1, south = (row + 1) / 2 - 1;
  const float right = column % 2 == 0 ? 0.75F : 0.25F, up = row % 2 == 0 ? 0.75F : 0.25F;
  const float4* below = coarse + limited(south, high) * wide;
  const float4* above = coarse + limited(south + 1, high) * wide;
  const int left = limited(west, wide), next = limited(west + 1, wide);
  return between(between(below[left], below[next], right), between(above[left], above[next], right), up);
}

// How much of the right picture is seen; the strip is as wide as eight pixels of the level.
__device__ float seen_right(int column, int row, Size size) {
  const float seam = 0.5F + 0.1F * __sinf(6 * static_cast<float>(row) / static_cast<float>(size.high));
  const float from = static_cast<float>(column) - seam * static_cast<float>(size.wide);
  return fminf(fmaxf(0.5F + from / 8, 0), 1);
}

// Both pictures' details of a level; at the coarsest one all that is left.
template <bool kCoarsest>
__global__ void __launch_bounds__(kBlock)
    blend_level(float4* __restrict__ band, const float4* __restrict__ one, const float4* __restrict__ other,
                const float4* __restrict__ coarse, Size size, float gain) {
  const auto i = static_cast<int>(blockIdx.x * kBlock + threadIdx.x);
  if (i >= size.pixels()) return;
  const int column = i % size.wide, row = i / size.wide;
  float4 left = one[i], right = other[i];
  if (!kCoarsest) {
    left = plus(left, enlarged(coarse, column, row, size), -1);
    right = plus(right, enlarged(coarse + size.pixels() / 4, column, row, size), -1);
  }
  const float share = seen_right(column, row, size);
  const float4 none = make_float4(0, 0, 0, 0);
  band[i] = plus(plus(none, left, 1 - share), right, gain * share);
}

__global__ void __launch_bounds__(kBlock)
    add_coarse(float4* __restrict__ band, const float4* __restrict__ coarse, Size size) {
  const auto i = static_cast<int>(blockIdx.x * kBlock + threadIdx.x);
  if (i >= size.pixels()) return;
  band[i] = plus(band[i], enlarged(coarse, i % size.wide, i / size.wide, size), 1);
}

// The last step of a seam: adds the coarse part, and exposes over what the ring before left.
__global__ void __launch_bounds__(kBlock)
    finish_seam(float4* __restrict__ ring, const float4* __restrict__ band, const float4* __restrict__ coarse,
                Size size) {
  const auto i = static_cast<int>(blockIdx.x * kBlock + threadIdx.x);
  if (i >= size.pixels()) return;
  const float4 now = plus(band[i], enlarged(coarse, i % size.wide, i / size.wide, size), 1);
  ring[i] = between(ring[i], now, 0.5F);
}

// Where arrays for a while come from.
class Store {
 public:
  explicit Store(bool keeps) : keeps_(keeps) {}

  float4* take(int pixels) {
    const auto found = free_.find(pixels);
    if (found == free_.end()) return device_array<float4>(static_cast<std::size_t>(pixels));  // fault
    float4* array = found->second;
    free_.erase(found);
    return array;
  }

  void give_back(float4* array, int pixels) {
    if (keeps_) {
      free_.emplace(pixels, array);
    } else {
      CHECK(cudaFree(array));  // fault
    }
  }

 private:
  std::multimap<int, float4*> free_;
  bool keeps_;
};

class Temporary {
 public:
  Temporary(Store& store, int pixels) : store_(store), array_(store.take(pixels)), pixels_(pixels) {}
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() { store_.give_back(array_, pixels_); }

  float4* get() const { return array_; }

 private:
  Store& store_;
  float4* array_;
  int pixels_;
};

// What a blend needs: of each level but the finest both pictures, and of each level their bands.
struct Pyramid {
  std::vector<std::unique_ptr<Temporary>> pictures, bands;

  explicit Pyramid(Store& store) {
    Size size{kWide, kHigh};
    for (int level = 0; level < kLevels; ++level, size = size.half()) {
      if (level > 0) pictures.push_back(std::make_unique<Temporary>(store, 2 * size.pixels()));
      bands.push_back(std::make_unique<Temporary>(store, size.pixels()));
    }
  }
};

struct Cameras {
  float4 *photos, *ring;
  Store store;
  int number;
};

unsigned blocks_of(Size size) {
  return blocks_for(static_cast<std::size_t>(size.pixels()), kBlock);
}

void blend_seam(float4* ring, const Pyramid& pyramid, const float4* left, const float4* right, float gain) {
  Size sizes[kLevels] = {{kWide, kHigh}};
  const float4 *one[kLevels] = {left}, *other[kLevels] = {right};
  for (int level = 1; level < kLevels; ++level) {
    float4* coarse = pyramid.pictures[static_cast<std::size_t>(level - 1)]->get();
    sizes[level] = sizes[level - 1].half();
    shrink<<<dim3(blocks_of(sizes[level]), 2), kBlock>>>(coarse, one[level - 1], other[level - 1],
                                                         sizes[level - 1]);
    one[level] = coarse;
    other[level] = coarse + sizes[level].pixels();
  }
  const auto band = [&](int level) { return pyramid.bands[static_cast<std::size_t>(level)]->get(); };
  for (int level = 0; level < kLevels - 1; ++level)
    blend_level<false><<<blocks_of(sizes[level]), kBlock>>>(band(level), one[level], other[level],
                                                            one[level + 1], sizes[level], gain);
  constexpr int kLast = kLevels - 1;
  blend_level<true><<<blocks_of(sizes[kLast]), kBlock>>>(band(kLast), one[kLast], other[kLast], nullptr,
                                                         sizes[kLast], gain);
  for (int level = kLast - 1; level > 0; --level)
    add_coarse<<<blocks_of(sizes[level]), kBlock>>>(band(level), band(level + 1), sizes[level]);
  finish_seam<<<blocks_of(sizes[0]), kBlock>>>(ring, band(0), band(1), sizes[0]);
}

void join(Cameras& cameras) {
  const Pyramid pyramid(cameras.store);
  for (int seam = 0; seam < kSeams; ++seam) {
    const float4* left = cameras.photos + std::size_t{kPixels} * static_cast<std::size_t>(seam);
    const float gain = 0.9F + 0.2F * mixed_fraction(static_cast<unsigned>(cameras.number * kSeams + seam));
    blend_seam(cameras.ring + std::size_t{kPixels} * static_cast<std::size_t>(seam), pyramid, left,
               left + kPixels, gain);
  }
  ++cameras.number;
}

Case make(bool keeps) {
  constexpr std::size_t kAll = std::size_t{kPhotos} * kPixels, kRing = std::size_t{kSeams} * kPixels;
  const auto cameras = std::make_shared<Cameras>(
      Cameras{device_array<float4>(kAll), device_array<float4>(kRing), Store(keeps), 0});
  fill_fractions(reinterpret_cast<float*>(cameras->photos), 4 * kAll, 0x2545f491U);
  CHECK(cudaMemset(cameras->ring, 0, kRing * sizeof(float4)));
  return {[=] { join(*cameras); },
          [=] { return device_sum(reinterpret_cast<const float*>(cameras->ring), 4 * kRing); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(false); }, [] { return make(true); });
}
