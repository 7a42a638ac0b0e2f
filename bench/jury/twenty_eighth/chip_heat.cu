// Heat in a processor with 192 cores: implicit steps in time, each solved by conjugate gradients, and a
// governor that slows down cores that are hot. A step is recorded as a graph; ten steps a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kWide = 1024, kHigh = 768, kPlaces = kWide * kHigh, kThreads = 256;
constexpr int kTileWide = 64, kTileHigh = 32, kOwn = kTileWide * kTileHigh / kThreads;
constexpr int kHaloWide = kTileWide + 2, kHalo = kHaloWide * (kTileHigh + 2);
constexpr int kAcross = kWide / kTileWide, kDown = kHigh / kTileHigh, kBlocks = kAcross * kDown;
constexpr int kQuadsOfThread = kPlaces / 4 / (kBlocks * kThreads);
constexpr int kCore = 64, kCoresAcross = kWide / kCore, kCores = kCoresAcross * (kHigh / kCore);
constexpr int kTurns = 24, kStepsOfRound = 10, kRounds = 380;
constexpr unsigned kMask = 0xffffffffU;
constexpr float kStores = 1, kLoses = 0.002F, kAir = 25, kTooHot = 80;

struct Chip {
  float *heat, *rest, *product;  // temperatures, what is wrong with them, matrix times way
  float* ways[2];
  float *across, *down;  // how well a place leads to the one right of it, and below it
  float* busy;           // of cores
  int* moments;
  float *rest_parts, *way_parts;  // sums of blocks
  float* squares;                 // what is wrong, before each turn
  cudaStream_t stream;
  cudaGraphExec_t step;
};

// All threads get the sum.
__device__ float block_sum(float sum, float* warps) {
  const auto thread = static_cast<int>(threadIdx.x);
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(kMask, sum, far);
  if (thread % 32 == 0) warps[thread / 32] = sum;
  __syncthreads();
  sum = 0;
#pragma unroll
  for (int warp = 0; warp < kThreads / 32; ++warp) sum += warps[warp];
  __syncthreads();
  return sum;
}

__device__ float sum_of_parts(const float* __restrict__ parts, float* warps) {
  float sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < kBlocks; i += kThreads) sum += parts[i];
  return block_sum(sum, warps);
}

struct Matrix {
  const float* __restrict__ across;
  const float* __restrict__ down;

  // What flows from a place of the tile to its neighbours. Nothing flows over the edge.
  __device__ float flow(const float* tile, int x, int y) const {
    const int i = y * kWide + x;
    const float own = tile[0];
    float sum = 0;
    if (x > 0) sum += across[i - 1] * (own - tile[-1]);
    if (x < kWide - 1) sum += across[i] * (own - tile[1]);
    if (y > 0) sum += down[i - kWide] * (own - tile[-kHaloWide]);
    if (y < kHigh - 1) sum += down[i] * (own - tile[kHaloWide]);
    return sum;
  }
};

// Fills a tile and what lies around it.
template <class Value>
__device__ void fill_tile(float* tile, Value value) {
  const int left = static_cast<int>(blockIdx.x) * kTileWide - 1,
            top = static_cast<int>(blockIdx.y) * kTileHigh - 1;
#pragma unroll
  for (int part = 0; part < (kHalo + kThreads - 1) / kThreads; ++part) {
    const int i = part * kThreads + static_cast<int>(threadIdx.x);
    const int x = min(max(left + i % kHaloWide, 0), kWide - 1),
              y = min(max(top + i / kHaloWide, 0), kHigh - 1);
    if (i < kHalo) tile[i] = value(y * kWide + x);
  }
  __syncthreads();
}

__device__ int own_block() {
  return static_cast<int>(blockIdx.y) * kAcross + static_cast<int>(blockIdx.x);
}

// A thread has eight places of a column, every fourth.
template <class Work>
__device__ void each_place(const float* tile, Work work) {
  const int across = static_cast<int>(threadIdx.x) % kTileWide,
            first = static_cast<int>(threadIdx.x) / kTileWide;
#pragma unroll
  for (int k = 0; k < kOwn; ++k) {
    const int down = first + k * (kThreads / kTileWide);
    work(tile + (down + 1) * kHaloWide + across + 1, static_cast<int>(blockIdx.x) * kTileWide + across,
         static_cast<int>(blockIdx.y) * kTileHigh + down);
  }
}

// Units of a core that do more get hotter.
__device__ float power_at(const float* __restrict__ busy, int x, int y) {
  const int unit = (x % kCore / 16 * 5 + y % kCore / 16 * 3) % 8;
  return busy[y / kCore * kCoresAcross + x / kCore] * (0.04F + 0.03F * static_cast<float>(unit));
}

// What is wrong if temperatures stay as they are.
__global__ void __launch_bounds__(kThreads)
    begin_step(float* __restrict__ rest, float* __restrict__ parts, const float* __restrict__ heat,
               const float* __restrict__ busy, Matrix matrix) {
  __shared__ float tile[kHalo], warps[kThreads / 32];
  fill_tile(tile, [&](int i) { return heat[i]; });
  float sum = 0;
  each_place(tile, [&](const float* own, int x, int y) {
    const float wrong = power_at(busy, x, y) - kLoses * (*own - kAir) - matrix.flow(own, x, y);
    rest[y * kWide + x] = wrong;
    sum += wrong * wrong;
  });
  sum = block_sum(sum, warps);
  if (threadIdx.x == 0) parts[own_block()] = sum;
}

// The next way, and the matrix times it.
__global__ void __launch_bounds__(kThreads)
    turn(float* __restrict__ way, float* __restrict__ product, float* __restrict__ parts,
         float* __restrict__ squares, const float* __restrict__ last_way, const float* __restrict__ rest,
         const float* __restrict__ rest_parts, Matrix matrix, int number) {
  __shared__ float tile[kHalo], warps[kThreads / 32];
  const float square = sum_of_parts(rest_parts, warps);
  const float keep = number == 0 ? 0 : square / fmaxf(squares[number - 1], 1e-30F);
  fill_tile(tile, [&](int i) { return rest[i] + keep * last_way[i]; });
  float sum = 0;
  each_place(tile, [&](const float* own, int x, int y) {
    const float times = (kStores + kLoses) * *own + matrix.flow(own, x, y);
    way[y * kWide + x] = *own;
    product[y * kWide + x] = times;
    sum += *own * times;
  });
  sum = block_sum(sum, warps);
  if (threadIdx.x != 0) return;
  parts[own_block()] = sum;
  if (own_block() == 0) squares[number] = square;
}

__device__ float4 along(float4 from, float much, float4 way) {
  return make_float4(from.x + much * way.x, from.y + much * way.y, from.z + much * way.z,
                     from.w + much * way.w);
}

// As far along the way as is best.
__global__ void __launch_bounds__(kThreads)
    go(float4* __restrict__ heat, float4* __restrict__ rest, float* __restrict__ parts,
       const float4* __restrict__ way, const float4* __restrict__ product,
       const float* __restrict__ way_parts, const float* __restrict__ squares, int number) {
  __shared__ float warps[kThreads / 32];
  const float far = squares[number] / fmaxf(sum_of_parts(way_parts, warps), 1e-30F);
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kQuadsOfThread; ++k) {
    const int i = (k * kBlocks + static_cast<int>(blockIdx.x)) * kThreads + static_cast<int>(threadIdx.x);
    heat[i] = along(heat[i], far, way[i]);
    const float4 left = along(rest[i], -far, product[i]);
    rest[i] = left;
    sum += (left.x * left.x + left.y * left.y) + (left.z * left.z + left.w * left.w);
  }
  sum = block_sum(sum, warps);
  if (threadIdx.x == 0) parts[blockIdx.x] = sum;
}

// A block has a core. Work comes and goes, and hot cores get less of it.
__global__ void __launch_bounds__(kThreads)
    govern(float* __restrict__ busy, int* __restrict__ moments, const float4* __restrict__ heat) {
  __shared__ float warps[kThreads / 32];
  const auto thread = static_cast<int>(threadIdx.x), core = static_cast<int>(blockIdx.x);
  const int row = core / kCoresAcross * kCore + thread / (kCore / 4);
  const int quad = core % kCoresAcross * (kCore / 4) + thread % (kCore / 4);
  float sum = 0;
#pragma unroll
  for (int part = 0; part < kCore * (kCore / 4) / kThreads; ++part) {
    const float4 four = heat[(row + part * (kThreads / (kCore / 4))) * (kWide / 4) + quad];
    sum += (four.x + four.y) + (four.z + four.w);
  }
  const float mean = block_sum(sum, warps) / (kCore * kCore);
  if (thread != 0) return;
  const int moment = moments[core]++;
  const float wanted = mixed_fraction(static_cast<unsigned>(moment / 50 * kCores + core)) + 0.1F;
  const float allowed = fminf(fmaxf((kTooHot - mean) * 0.1F, 0.1F), 1);
  busy[core] = 0.9F * busy[core] + 0.1F * fminf(wanted, allowed);
}

// Copper leads well, in lines; glass does not.
__global__ void __launch_bounds__(kThreads) build(float* across, float* down, float* heat) {
  const auto i = static_cast<unsigned>(blockIdx.x * kThreads + threadIdx.x);
  const unsigned x = i % kWide, y = i / kWide;
  across[i] = (y % 16 < 3 ? 4.0F : 1.5F) + mixed_fraction(i);
  down[i] = (x % 16 < 3 ? 4.0F : 1.5F) + mixed_fraction(i + 5000011U);
  heat[i] = kAir + 10 * mixed_fraction(y / kCore * 100 + x / kCore);
}

void launch_step(const Chip& chip) {
  const dim3 tiles(kAcross, kDown);
  const Matrix matrix = {chip.across, chip.down};
  begin_step<<<tiles, kThreads, 0, chip.stream>>>(chip.rest, chip.rest_parts, chip.heat, chip.busy, matrix);
  for (int number = 0; number < kTurns; ++number) {
    float *way = chip.ways[number % 2], *last = chip.ways[(number + 1) % 2];
    turn<<<tiles, kThreads, 0, chip.stream>>>(way, chip.product, chip.way_parts, chip.squares, last,
                                              chip.rest, chip.rest_parts, matrix, number);
    go<<<kBlocks, kThreads, 0, chip.stream>>>(
        reinterpret_cast<float4*>(chip.heat), reinterpret_cast<float4*>(chip.rest), chip.rest_parts,
        reinterpret_cast<const float4*>(way), reinterpret_cast<const float4*>(chip.product), chip.way_parts,
        chip.squares, number);
  }
  govern<<<kCores, kThreads, 0, chip.stream>>>(chip.busy, chip.moments,
                                               reinterpret_cast<const float4*>(chip.heat));
}

void record(Chip& chip) {
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamBeginCapture(chip.stream, cudaStreamCaptureModeGlobal));
  launch_step(chip);
  CHECK(cudaStreamEndCapture(chip.stream, &graph));
  CHECK(cudaGraphInstantiate(&chip.step, graph, 0));
  CHECK(cudaGraphDestroy(graph));
}

Case make() {
  const auto chip = std::make_shared<Chip>();
  for (float** map :
       {&chip->heat, &chip->rest, &chip->product, &chip->ways[0], &chip->ways[1], &chip->across, &chip->down})
    *map = device_array<float>(kPlaces);
  build<<<kPlaces / kThreads, kThreads>>>(chip->across, chip->down, chip->heat);
  for (float* way : chip->ways) CHECK(cudaMemset(way, 0, kPlaces * sizeof(float)));
  chip->busy = device_array<float>(kCores);
  chip->moments = device_array<int>(kCores);
  CHECK(cudaMemset(chip->busy, 0, kCores * sizeof(float)));
  CHECK(cudaMemset(chip->moments, 0, kCores * sizeof(int)));
  chip->rest_parts = device_array<float>(kBlocks);
  chip->way_parts = device_array<float>(kBlocks);
  chip->squares = device_array<float>(kTurns);
  CHECK(cudaStreamCreateWithFlags(&chip->stream, cudaStreamNonBlocking));
  record(*chip);
  const auto round = [=] {
    for (int i = 0; i < kStepsOfRound; ++i) CHECK(cudaGraphLaunch(chip->step, chip->stream));
  };
  const auto sum = [=] { return device_sum(chip->heat, kPlaces) + device_sum(chip->busy, kCores); };
  return {round, sum, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
