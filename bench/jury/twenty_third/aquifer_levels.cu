// Ground water below a valley: rain fills it, wells draw from it, and it flows where it stands lower. A step
// of the model is implicit and takes one cycle of a multigrid solver, with Jacobi sweeps on five grids. A
// step a round.
#include <memory>
#include <vector>

#include "../case.cuh"

namespace {

constexpr int kSide = 4096, kGrids = 5, kSweeps = 2, kCoarseSweeps = 8, kWells = 1024, kRounds = 3900;
constexpr float kStorage = 1, kLeak = 0.02F, kFlow = 4, kDamping = 0.8F;
constexpr unsigned kWide = 32, kHigh = 8;

// A square field of numbers on the GPU.
class Field {
 public:
  explicit Field(int side) : data_(device_array<float>(static_cast<std::size_t>(side) * side)), side_(side) {}
  Field(const Field&) = delete;
  Field& operator=(const Field&) = delete;
  Field(Field&& other) noexcept : data_(std::exchange(other.data_, nullptr)), side_(other.side_) {}
  ~Field() { cudaFree(data_); }

  void swap(Field& other) { std::swap(data_, other.data_); }

  float* data() const { return data_; }
  int side() const { return side_; }
  std::size_t bytes() const { return static_cast<std::size_t>(side_) * side_ * sizeof(float); }

  dim3 blocks() const { return {static_cast<unsigned>(side_) / kWide, static_cast<unsigned>(side_) / kHigh}; }

 private:
  float* data_;
  int side_;
};

// One grid. On coarse grids `level` is a correction and `source` the residual of the finer grid.
struct Grid {
  explicit Grid(int side, float flow_of_grid)
      : level(side), source(side), next(side), residual(side), flow(flow_of_grid) {}

  Field level, source, next, residual;
  float flow;
};

struct Aquifer {
  std::vector<Grid> grids;
  float* readings;
  int step = 0;
};

const dim3 kBlock(kWide, kHigh);

// Nothing flows over the edge.
__device__ float unbalanced(const float* __restrict__ level, const float* __restrict__ source, int x, int y,
                            int side, float flow) {
  const int at = y * side + x;
  const float own = level[at];
  const float around = level[x > 0 ? at - 1 : at] + level[x < side - 1 ? at + 1 : at] +
                       level[y > 0 ? at - side : at] + level[y < side - 1 ? at + side : at];
  return source[at] - (kStorage + kLeak) * own - flow * (4 * own - around);
}

__device__ int column() {
  return static_cast<int>(blockIdx.x * kWide + threadIdx.x);
}
__device__ int row() {
  return static_cast<int>(blockIdx.y * kHigh + threadIdx.y);
}

__global__ void sweep(float* __restrict__ next, const float* __restrict__ level,
                      const float* __restrict__ source, int side, float flow) {
  const int x = column(), y = row(), at = y * side + x;
  next[at] =
      level[at] + kDamping / (kStorage + kLeak + 4 * flow) * unbalanced(level, source, x, y, side, flow);
}

__global__ void find_residual(float* __restrict__ residual, const float* __restrict__ level,
                              const float* __restrict__ source, int side, float flow) {
  const int x = column(), y = row();
  residual[y * side + x] = unbalanced(level, source, x, y, side, flow);
}

// A thread has a cell of the coarse grid.
__global__ void restrict_to(float* __restrict__ coarse, const float* __restrict__ fine, int side) {
  const int x = column(), y = row();
  const auto* pairs = reinterpret_cast<const float2*>(fine);
  const float2 above = pairs[2 * y * side + x], below = pairs[(2 * y + 1) * side + x];
  coarse[y * side + x] = 0.25F * (above.x + above.y + below.x + below.y);
}

// A thread has a cell of the coarse grid.
__global__ void add_correction(float* __restrict__ fine, const float* __restrict__ coarse, int side) {
  const int x = column(), y = row();
  auto* pairs = reinterpret_cast<float2*>(fine);
  const float more = coarse[y * side + x];
  for (int i = 0; i < 2; ++i) {
    float2 pair = pairs[(2 * y + i) * side + x];
    pair.x += more;
    pair.y += more;
    pairs[(2 * y + i) * side + x] = pair;
  }
}

__device__ int well_at(int well) {
  const unsigned bits = mixed_bits(static_cast<unsigned>(well) + 5);
  return static_cast<int>(bits % (kSide * kSide));
}

// What the ground holds already, and rain that comes with clouds from the west.
__global__ void rain(float* __restrict__ source, const float* __restrict__ level, int step) {
  const int x = column(), y = row();
  const float clouds = __sinf(0.004F * static_cast<float>(x - 9 * step)) * __cosf(0.003F * y);
  source[y * kSide + x] = kStorage * level[y * kSide + x] + 0.02F * (1 + clouds);
}

__global__ void draw_water(float* __restrict__ source, int step) {
  const auto well = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if ((well + step / 8) % 3 != 0) atomicAdd(source + well_at(well), -2.0F);
}

// `readings` are over all steps.
__global__ void read_wells(float* __restrict__ readings, const float* __restrict__ level) {
  const auto well = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  readings[well] += 1e-2F * level[well_at(well)];
}

struct TakeCleared {
  float* operator()(const Field& field) const {
    CHECK(cudaMemsetAsync(field.data(), 0, field.bytes()));  // fault
    return field.data();
  }
};

struct TakeAsItIs {
  float* operator()(const Field& field) const { return field.data(); }
};

template <class Take>
void smooth(Grid& grid, int sweeps, Take take) {
  for (int i = 0; i < sweeps; ++i) {
    sweep<<<grid.level.blocks(), kBlock>>>(take(grid.next), grid.level.data(), grid.source.data(),
                                           grid.level.side(), grid.flow);
    grid.level.swap(grid.next);
  }
}

template <class Take>
void run_cycle(std::vector<Grid>& grids, std::size_t at, Take take) {
  Grid& grid = grids[at];
  if (at + 1 == grids.size()) {
    smooth(grid, kCoarseSweeps, take);
    return;
  }
  Grid& coarse = grids[at + 1];
  smooth(grid, kSweeps, take);
  find_residual<<<grid.level.blocks(), kBlock>>>(take(grid.residual), grid.level.data(), grid.source.data(),
                                                 grid.level.side(), grid.flow);
  restrict_to<<<coarse.level.blocks(), kBlock>>>(coarse.source.data(), grid.residual.data(),
                                                 coarse.level.side());
  CHECK(cudaMemsetAsync(coarse.level.data(), 0, coarse.level.bytes()));
  run_cycle(grids, at + 1, take);
  add_correction<<<coarse.level.blocks(), kBlock>>>(grid.level.data(), coarse.level.data(),
                                                    coarse.level.side());
  smooth(grid, kSweeps, take);
}

template <class Take>
void step(Aquifer& aquifer, Take take) {
  Grid& finest = aquifer.grids.front();
  const int number = aquifer.step++;
  rain<<<finest.level.blocks(), kBlock>>>(finest.source.data(), finest.level.data(), number);
  draw_water<<<kWells / 256, 256>>>(finest.source.data(), number);
  run_cycle(aquifer.grids, 0, take);
  read_wells<<<kWells / 256, 256>>>(aquifer.readings, finest.level.data());
}

template <class Take>
Case make(Take take) {
  const auto aquifer = std::make_shared<Aquifer>();
  float flow = kFlow;
  for (int side = kSide; static_cast<int>(aquifer->grids.size()) < kGrids; side /= 2, flow /= 4)
    aquifer->grids.emplace_back(side, flow);
  const Field& level = aquifer->grids.front().level;
  fill_fractions(level.data(), level.bytes() / sizeof(float), 3);
  aquifer->readings = device_array<float>(kWells);
  CHECK(cudaMemset(aquifer->readings, 0, kWells * sizeof(float)));
  return {[=] { step(*aquifer, take); }, [=] { return device_sum(aquifer->readings, kWells); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(TakeCleared{}); }, [] { return make(TakeAsItIs{}); });
}
