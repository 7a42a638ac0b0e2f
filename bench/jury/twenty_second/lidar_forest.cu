// Counts trees in strips that a plane has scanned by lidar: each strip has some millions of returns and an
// area of its own. The ground is found cell by cell, returns get their height above it, the canopy is raised
// and smoothed, and each of its tops is a tree. A strip a round.
#include <memory>
#include <vector>

#include "../case.cuh"

namespace {

constexpr int kStrips = 8, kThreads = 256, kRounds = 5500, kMostReturns = 12 << 20, kLayers = 16,
              kTall = 3000;
constexpr int kMostCells = 1 << 22, kMostBlocks = kMostCells / kThreads, kLayerBlocks = 264;
constexpr float kCell = 1;

// An array on the GPU that belongs to its owner.
template <class T>
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  ~DeviceBuffer() { cudaFree(data_); }

  // What was in it is lost.
  void resize(std::size_t size) {
    if (size == size_) return;
    CHECK(cudaFree(data_));                       // fault
    CHECK(cudaMalloc(&data_, size * sizeof(T)));  // fault
    size_ = capacity_ = size;
  }

  // The same, but room that there is stays.
  void resize_within(std::size_t size) {
    if (size > capacity_)
      resize(size);
    else
      size_ = size;
  }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

// The returns of a strip, in the order in which they came back.
struct Strip {
  DeviceBuffer<float> x, y, z;
  int returns, wide, high;
};

// Heights are in millimetres, cell by cell or return by return. The smooth canopy lies where the ground was.
struct Workspace {
  DeviceBuffer<int> cells, heights;

  template <class Resize>
  void fit(const Strip& strip, Resize resize) {
    resize(cells, 2 * static_cast<std::size_t>(strip.wide) * static_cast<std::size_t>(strip.high));
    resize(heights, static_cast<std::size_t>(strip.returns));
  }

  int* ground() const { return cells.data(); }
  int* canopy() const { return cells.data() + cells.size() / 2; }
};

struct Survey {
  std::vector<Strip> strips;
  Workspace workspace;
  DeviceBuffer<int> trees;
  int number = 0;
};

__device__ int cell_of(float x, float y, int wide) {
  return static_cast<int>(y / kCell) * wide + static_cast<int>(x / kCell);
}

__global__ void __launch_bounds__(kThreads)
    clear_cells(int* __restrict__ ground, int* __restrict__ canopy, int cells) {
  const auto cell = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (cell >= cells) return;
  ground[cell] = 1 << 30;
  canopy[cell] = 0;
}

// A thread has a return, in this kernel and the next one.
__global__ void __launch_bounds__(kThreads)
    find_ground(int* __restrict__ ground, const float* __restrict__ x, const float* __restrict__ y,
                const float* __restrict__ z, int returns, int wide) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (i < returns) atomicMin(ground + cell_of(x[i], y[i], wide), static_cast<int>(1000 * z[i]));
}

__device__ int ground_around(const int* __restrict__ ground, int cell, int wide, int high) {
  const int column = cell % wide, row = cell / wide;
  int lowest = ground[cell];
  if (column > 0) lowest = min(lowest, ground[cell - 1]);
  if (column + 1 < wide) lowest = min(lowest, ground[cell + 1]);
  if (row > 0) lowest = min(lowest, ground[cell - wide]);
  if (row + 1 < high) lowest = min(lowest, ground[cell + wide]);
  return lowest;
}

__global__ void __launch_bounds__(kThreads)
    raise_canopy(int* __restrict__ canopy, int* __restrict__ heights, const int* __restrict__ ground,
                 const float* __restrict__ x, const float* __restrict__ y, const float* __restrict__ z,
                 int returns, int wide, int high) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (i >= returns) return;
  const int cell = cell_of(x[i], y[i], wide);
  const int height = max(static_cast<int>(1000 * z[i]) - ground_around(ground, cell, wide, high), 0);
  heights[i] = height;
  atomicMax(canopy + cell, height);
}

// A thread has a cell, in this kernel and the next one.
__global__ void __launch_bounds__(kThreads)
    smooth_canopy(int* __restrict__ smooth, const int* __restrict__ canopy, int wide, int high) {
  const auto cell = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (cell >= wide * high) return;
  const int column = cell % wide, row = cell / wide;
  float sum = 0, weights = 0;
#pragma unroll
  for (int dy = -2; dy <= 2; ++dy) {
#pragma unroll
    for (int dx = -2; dx <= 2; ++dx) {
      const int x = column + dx, y = row + dy;
      if (x < 0 || x >= wide || y < 0 || y >= high) continue;
      const float weight = 1.0F / static_cast<float>(1 + dx * dx + dy * dy);
      sum += weight * static_cast<float>(canopy[y * wide + x]);
      weights += weight;
    }
  }
  smooth[cell] = static_cast<int>(sum / weights);
}

// A tree is where the canopy is higher than all around. `trees` is over all strips, block by block.
__global__ void __launch_bounds__(kThreads)
    find_trees(int* __restrict__ trees, const int* __restrict__ smooth, int wide, int high) {
  const auto cell = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int column = cell % wide, row = cell / wide;
  bool top = column > 0 && column + 1 < wide && row > 0 && row + 1 < high && smooth[cell] > kTall;
  if (top) {
    const int own = smooth[cell];
#pragma unroll
    for (int dy = -1; dy <= 1; ++dy) {
#pragma unroll
      for (int dx = -1; dx <= 1; ++dx)
        if (dx != 0 || dy != 0) top = top && smooth[cell + dy * wide + dx] < own;
    }
  }
  const int found = __syncthreads_count(top ? 1 : 0);
  if (threadIdx.x == 0) trees[blockIdx.x] += found;
}

// How many returns there are in layers of two metres, by sixteens, block by block.
__global__ void __launch_bounds__(kThreads)
    measure_layers(int* __restrict__ layers, const int* __restrict__ heights, int returns) {
  __shared__ int own[kLayers];
  if (threadIdx.x < kLayers) own[threadIdx.x] = 0;
  __syncthreads();
  for (auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x); i < returns;
       i += static_cast<int>(gridDim.x) * kThreads) {
    const int layer = min(heights[i] / 2000, kLayers - 1);
    const unsigned same = __match_any_sync(__activemask(), layer);
    if (static_cast<int>(threadIdx.x % 32) == __ffs(static_cast<int>(same)) - 1)
      atomicAdd(own + layer, __popc(same));
  }
  __syncthreads();
  if (threadIdx.x < kLayers) layers[blockIdx.x * kLayers + threadIdx.x] += own[threadIdx.x] >> 4;
}

// The plane looks to and fro over the strip while it flies along.
__global__ void __launch_bounds__(kThreads)
    scan_strip(float* __restrict__ x, float* __restrict__ y, float* __restrict__ z, int returns, int wide,
               int high, unsigned seed) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (i >= returns) return;
  const unsigned bits = static_cast<unsigned>(i) * 3 + seed;
  const int sweeps = 4 * high, per_sweep = returns / sweeps + 1, sweep = i / per_sweep;
  const float along =
      (static_cast<float>(i % per_sweep) + mixed_fraction(bits)) / static_cast<float>(per_sweep);
  const float across = sweep % 2 == 0 ? along : 1 - along;
  x[i] = fminf(across * static_cast<float>(wide), static_cast<float>(wide) - 0.01F);
  y[i] = fminf((static_cast<float>(sweep) + mixed_fraction(bits + 1)) / 4, static_cast<float>(high) - 0.01F);
  const float land = 40 + 12 * __sinf(0.01F * x[i]) * __cosf(0.008F * y[i]);
  const unsigned crown = static_cast<unsigned>(x[i] / 7) * 7919U + static_cast<unsigned>(y[i] / 7);
  const float dx = x[i] - 7 * floorf(x[i] / 7) - 3.5F, dy = y[i] - 7 * floorf(y[i] / 7) - 3.5F;
  const float tree = fmaxf((12 + 14 * mixed_fraction(crown + seed)) * (1 - 0.06F * (dx * dx + dy * dy)), 0);
  z[i] = land + (mixed_fraction(bits + 2) < 0.3F ? 0 : tree * (0.6F + 0.4F * mixed_fraction(bits + 2)));
}

template <class Resize>
void count_trees(Survey& survey, Resize resize) {
  const Strip& strip = survey.strips[static_cast<std::size_t>(survey.number++ % kStrips)];
  Workspace& work = survey.workspace;
  work.fit(strip, resize);
  const int cells = strip.wide * strip.high;
  const unsigned by_cell = blocks_for(work.cells.size() / 2, kThreads);
  const unsigned by_return = blocks_for(work.heights.size(), kThreads);
  clear_cells<<<by_cell, kThreads>>>(work.ground(), work.canopy(), cells);
  find_ground<<<by_return, kThreads>>>(work.ground(), strip.x.data(), strip.y.data(), strip.z.data(),
                                       strip.returns, strip.wide);
  raise_canopy<<<by_return, kThreads>>>(work.canopy(), work.heights.data(), work.ground(), strip.x.data(),
                                        strip.y.data(), strip.z.data(), strip.returns, strip.wide,
                                        strip.high);
  smooth_canopy<<<by_cell, kThreads>>>(work.ground(), work.canopy(), strip.wide, strip.high);
  find_trees<<<by_cell, kThreads>>>(survey.trees.data(), work.ground(), strip.wide, strip.high);
  measure_layers<<<kLayerBlocks, kThreads>>>(survey.trees.data() + kMostBlocks, work.heights.data(),
                                             strip.returns);
}

Strip new_strip(int number) {
  Strip strip = {};
  strip.wide = 896 + 16 * (number * 5 % kStrips);
  strip.high = 2000 + 20 * (number * 7 % kStrips);
  strip.returns = kMostReturns - 90001 * (number * 7 % kStrips);
  for (DeviceBuffer<float>* buffer : {&strip.x, &strip.y, &strip.z})
    buffer->resize(static_cast<std::size_t>(strip.returns));
  scan_strip<<<blocks_for(strip.x.size(), kThreads), kThreads>>>(
      strip.x.data(), strip.y.data(), strip.z.data(), strip.returns, strip.wide, strip.high,
      static_cast<unsigned>(number) * 0x9e3779b9U);
  CHECK(cudaGetLastError());
  return strip;
}

std::shared_ptr<Survey> new_survey() {
  const auto survey = std::make_shared<Survey>();
  for (int number = 0; number < kStrips; ++number) survey->strips.push_back(new_strip(number));
  survey->trees.resize(kMostBlocks + kLayerBlocks * kLayers);
  CHECK(cudaMemset(survey->trees.data(), 0, survey->trees.size() * sizeof(int)));
  return survey;
}

template <class Resize>
Case make(Resize resize) {
  const auto survey = new_survey();
  return {[=] { count_trees(*survey, resize); },
          [=] { return device_sum(survey->trees.data(), survey->trees.size()); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make([](auto& buffer, std::size_t size) { buffer.resize(size); }); },
      [] { return make([](auto& buffer, std::size_t size) { buffer.resize_within(size); }); });
}
