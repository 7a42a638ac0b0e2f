// A sawmill: a line camera sees boards go by. Each board is made smaller, the direction of its grain is found
// by a bank of Gabor filters, knots are where the grain has no direction, and a preview goes to the grader.
// Five boards a round.
#include <memory>
#include <numeric>

#include "../case.cuh"

namespace {

constexpr int kWide = 6144, kHigh = 4096, kBoard = kWide * kHigh, kRingRows = 3 * kHigh;
constexpr int kSmallWide = kWide / 2, kSmallHigh = kHigh / 2, kSmall = kSmallWide * kSmallHigh;
constexpr int kReach = 6, kTaps = 2 * kReach + 1, kAngles = 8, kThreads = 256, kTileWide = 128, kTileHigh = 8;
constexpr int kHaloWide = 144, kLead = 8,
              kHaloHigh = kTileHigh + 2 * kReach;  // quads lie at multiples of four
constexpr int kCell = 32, kAcross = kSmallWide / kCell, kDown = kSmallHigh / kCell, kCells = kAcross * kDown;
constexpr int kSlots = 3, kBoardsOfRound = 5, kRounds = 400;
constexpr unsigned kMask = 0xffffffffU;

__constant__ float bank[kTaps][kTaps][kAngles];

struct Slot {
  unsigned char* seen;
  float4* cells;  // strength, direction twice, brightness
  unsigned char* preview;
  float4* host_cells;
  unsigned char* host_preview;
  cudaEvent_t ready, worked, done;
};

struct Mill {
  Slot slots[kSlots];
  unsigned char* ring;  // pinned; the camera's driver writes here
  float* lamp;          // how bright the lamp is along a line
  float *small, *strengths;
  unsigned char* angles;
  cudaStream_t uploads, work, downloads;
  double graded = 0;
  int board = 0;
};

__device__ float pair_of(unsigned upper, unsigned lower, int shift) {
  const unsigned sum = (upper >> shift & 255) + (upper >> (shift + 8) & 255) + (lower >> shift & 255) +
                       (lower >> (shift + 8) & 255);
  return static_cast<float>(sum);
}

// A thread makes four pixels from eight by two.
__global__ void __launch_bounds__(kThreads) shrink(float4* __restrict__ small, const uint2* __restrict__ seen,
                                                   const float4* __restrict__ lamp, float exposure) {
  const int quad = static_cast<int>(blockIdx.x * kThreads + threadIdx.x), row = static_cast<int>(blockIdx.y);
  const uint2 upper = seen[2 * row * (kWide / 8) + quad], lower = seen[(2 * row + 1) * (kWide / 8) + quad];
  const float4 by = lamp[quad];
  small[row * (kSmallWide / 4) + quad] = make_float4(
      exposure * by.x * pair_of(upper.x, lower.x, 0), exposure * by.y * pair_of(upper.x, lower.x, 16),
      exposure * by.z * pair_of(upper.y, lower.y, 0), exposure * by.w * pair_of(upper.y, lower.y, 16));
}

__device__ void load_tile(float4 (*tile)[kHaloWide / 4], const float4* __restrict__ small) {
  const int first = static_cast<int>(blockIdx.x) * (kTileWide / 4) - kLead / 4;
  const int top = static_cast<int>(blockIdx.y) * kTileHigh - kReach;
  for (int i = static_cast<int>(threadIdx.x); i < kHaloHigh * (kHaloWide / 4); i += kThreads) {
    const int quad = min(max(first + i % (kHaloWide / 4), 0), kSmallWide / 4 - 1);
    const int row = min(max(top + i / (kHaloWide / 4), 0), kSmallHigh - 1);
    tile[i / (kHaloWide / 4)][i % (kHaloWide / 4)] = small[row * (kSmallWide / 4) + quad];
  }
  __syncthreads();
}

// The responses of four pixels to all filters, row of taps by row of taps.
__device__ void respond(float (&sums)[4][kAngles], const float4 (*tile)[kHaloWide / 4]) {
  const auto lane = static_cast<int>(threadIdx.x) % 32, down = static_cast<int>(threadIdx.x) / 32;
#pragma unroll 1
  for (int row = 0; row < kTaps; ++row) {
    float near[20];
#pragma unroll
    for (int k = 0; k < 5; ++k) {
      const float4 four = tile[down + row][lane + k];
      near[4 * k] = four.x;
      near[4 * k + 1] = four.y;
      near[4 * k + 2] = four.z;
      near[4 * k + 3] = four.w;
    }
#pragma unroll
    for (int column = 0; column < kTaps; ++column)
#pragma unroll
      for (int angle = 0; angle < kAngles; ++angle)
#pragma unroll
        for (int pixel = 0; pixel < 4; ++pixel)
          sums[pixel][angle] += bank[row][column][angle] * near[pixel + column + kLead - kReach];
  }
}

// A block has 128 by 8 pixels, and a thread four of them.
__global__ void __launch_bounds__(kThreads)
    find_grain(float4* __restrict__ strengths, uchar4* __restrict__ angles,
               const float4* __restrict__ small) {
  __shared__ float4 tile[kHaloHigh][kHaloWide / 4];
  load_tile(tile, small);
  float sums[4][kAngles] = {};
  respond(sums, tile);
  float strong[4];
  unsigned char best[4];
#pragma unroll
  for (int pixel = 0; pixel < 4; ++pixel) {
    strong[pixel] = fabsf(sums[pixel][0]);
    best[pixel] = 0;
#pragma unroll
    for (int angle = 1; angle < kAngles; ++angle)
      if (fabsf(sums[pixel][angle]) > strong[pixel]) {
        strong[pixel] = fabsf(sums[pixel][angle]);
        best[pixel] = static_cast<unsigned char>(angle);
      }
  }
  const int row = static_cast<int>(blockIdx.y) * kTileHigh + static_cast<int>(threadIdx.x) / 32;
  const int i =
      row * (kSmallWide / 4) + static_cast<int>(blockIdx.x) * 32 + static_cast<int>(threadIdx.x) % 32;
  strengths[i] = make_float4(strong[0], strong[1], strong[2], strong[3]);
  angles[i] = make_uchar4(best[0], best[1], best[2], best[3]);
}

__device__ float4 plus(float4 one, float4 other) {
  return make_float4(one.x + other.x, one.y + other.y, one.z + other.z, one.w + other.w);
}

__device__ float4 block_sum(float4 sum) {
  __shared__ float4 warps[kThreads / 32];
  const auto thread = static_cast<int>(threadIdx.x);
  for (int far = 16; far > 0; far /= 2)
    sum = plus(sum, make_float4(__shfl_xor_sync(kMask, sum.x, far), __shfl_xor_sync(kMask, sum.y, far),
                                __shfl_xor_sync(kMask, sum.z, far), __shfl_xor_sync(kMask, sum.w, far)));
  if (thread % 32 == 0) warps[thread / 32] = sum;
  __syncthreads();
  sum = warps[0];
#pragma unroll
  for (int warp = 1; warp < kThreads / 32; ++warp) sum = plus(sum, warps[warp]);
  return sum;
}

// What a pixel adds to its cell. Directions are taken twice, as grain has no front and no back.
__device__ float4 vote(float strength, unsigned char angle, float bright) {
  float sine, cosine;
  __sincosf(static_cast<float>(angle) * (6.2831853F / kAngles), &sine, &cosine);
  return make_float4(strength, strength * cosine, strength * sine, bright);
}

__device__ unsigned char shade(float strength, float scale) {
  return static_cast<unsigned char>(fminf(strength * scale, 255));
}

// A block has a cell of 32 by 32 pixels, and a thread four of them.
__global__ void __launch_bounds__(kThreads)
    judge_cells(float4* __restrict__ cells, uchar4* __restrict__ preview,
                const float4* __restrict__ strengths, const uchar4* __restrict__ angles,
                const float4* __restrict__ small) {
  const auto thread = static_cast<int>(threadIdx.x);
  const int row = static_cast<int>(blockIdx.y) * kCell + thread / (kCell / 4);
  const int i = row * (kSmallWide / 4) + static_cast<int>(blockIdx.x) * (kCell / 4) + thread % (kCell / 4);
  const float4 strong = strengths[i], bright = small[i];
  const uchar4 angle = angles[i];
  const float4 mine = plus(plus(vote(strong.x, angle.x, bright.x), vote(strong.y, angle.y, bright.y)),
                           plus(vote(strong.z, angle.z, bright.z), vote(strong.w, angle.w, bright.w)));
  const float4 all = block_sum(mine);
  const float clear = sqrtf(all.y * all.y + all.z * all.z) / (all.x + 1e-6F);
  const float scale = 128 * (1 - 0.5F * clear) * (kCell * kCell) / (all.x + 1e-6F);
  preview[i] = make_uchar4(shade(strong.x, scale), shade(strong.y, scale), shade(strong.z, scale),
                           shade(strong.w, scale));
  constexpr float kShare = 1.0F / (kCell * kCell);
  if (thread == 0)
    cells[static_cast<int>(blockIdx.y) * kAcross + static_cast<int>(blockIdx.x)] =
        make_float4(all.x * kShare, all.y * kShare, all.z * kShare, all.w * kShare);
}

// Grain that bends, and noise.
__global__ void __launch_bounds__(kThreads) saw(unsigned char* ring) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const auto x = static_cast<float>(i % kWide), y = static_cast<float>(i / kWide);
  const float bent = y + 40 * __sinf(0.002F * x + 0.003F * y) + 0.3F * x * __sinf(0.0005F * y);
  const float grain = 30 * __sinf(0.5F * bent) + 20 * __sinf(0.011F * x) * __cosf(0.013F * y);
  ring[i] = static_cast<unsigned char>(120 + grain + 40 * mixed_fraction(static_cast<unsigned>(i)));
}

void upload_bank() {
  static float table[kTaps][kTaps][kAngles];
  for (int angle = 0; angle < kAngles; ++angle) {
    const float way = 3.1415927F * static_cast<float>(angle) / kAngles;
    float sum = 0;
    for (int i = 0; i < kTaps * kTaps; ++i) {
      const auto x = static_cast<float>(i % kTaps - kReach), y = static_cast<float>(i / kTaps - kReach);
      const float along = x * std::cos(way) + y * std::sin(way);
      const float bell = std::exp(-(x * x + y * y) / 18);
      table[i / kTaps][i % kTaps][angle] = bell * std::cos(1.0F * along) / 60;
      sum += table[i / kTaps][i % kTaps][angle];
    }
    for (int i = 0; i < kTaps * kTaps; ++i) table[i / kTaps][i % kTaps][angle] -= sum / (kTaps * kTaps);
  }
  CHECK(cudaMemcpyToSymbol(bank, table, sizeof table));
}

// Which streams the parts of a board's way go through.
struct OneWay {
  static void open(Mill& mill) {
    CHECK(cudaStreamCreateWithFlags(&mill.work, cudaStreamNonBlocking));
    mill.uploads = mill.work;    // fault
    mill.downloads = mill.work;  // fault
  }
};

struct ThreeWays {
  static void open(Mill& mill) {
    for (cudaStream_t* stream : {&mill.uploads, &mill.work, &mill.downloads})
      CHECK(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
  }
};

void work_on(const Mill& mill, const Slot& slot, int board) {
  const float exposure = (1 + 0.2F * std::sin(0.07F * static_cast<float>(board))) / 4;
  shrink<<<dim3(kSmallWide / 4 / kThreads, kSmallHigh), kThreads, 0, mill.work>>>(
      reinterpret_cast<float4*>(mill.small), reinterpret_cast<const uint2*>(slot.seen),
      reinterpret_cast<const float4*>(mill.lamp), exposure);
  find_grain<<<dim3(kSmallWide / kTileWide, kSmallHigh / kTileHigh), kThreads, 0, mill.work>>>(
      reinterpret_cast<float4*>(mill.strengths), reinterpret_cast<uchar4*>(mill.angles),
      reinterpret_cast<const float4*>(mill.small));
  judge_cells<<<dim3(kAcross, kDown), kThreads, 0, mill.work>>>(
      slot.cells, reinterpret_cast<uchar4*>(slot.preview), reinterpret_cast<const float4*>(mill.strengths),
      reinterpret_cast<const uchar4*>(mill.angles), reinterpret_cast<const float4*>(mill.small));
}

// What the grader is shown: how much of each cell's grain has a direction, and a line of the preview.
double grade(const Slot& slot) {
  double sum = 0;
  for (int i = 0; i < kCells; ++i) {
    const float4 cell = slot.host_cells[i];
    sum += std::hypot(cell.y, cell.z) / (cell.x + 1e-6) + 1e-3 * cell.w;
  }
  const unsigned char* line = slot.host_preview + kSmall / 2;
  return sum + 1e-3 * std::accumulate(line, line + kSmallWide, 0);
}

void next_board(Mill& mill) {
  const int board = mill.board++;
  Slot& slot = mill.slots[board % kSlots];
  CHECK(cudaEventSynchronize(slot.done));
  if (board >= kSlots) mill.graded += grade(slot);
  // A board begins where the light barrier saw it.
  const unsigned char* begin =
      mill.ring + static_cast<std::size_t>(board * 1237 % (kRingRows - kHigh)) * kWide;
  CHECK(cudaMemcpyAsync(slot.seen, begin, kBoard, cudaMemcpyHostToDevice, mill.uploads));  // fault
  CHECK(cudaEventRecord(slot.ready, mill.uploads));
  CHECK(cudaStreamWaitEvent(mill.work, slot.ready, 0));
  work_on(mill, slot, board);
  CHECK(cudaEventRecord(slot.worked, mill.work));
  CHECK(cudaStreamWaitEvent(mill.downloads, slot.worked, 0));
  CHECK(cudaMemcpyAsync(slot.host_preview, slot.preview, kSmall, cudaMemcpyDeviceToHost,  // fault
                        mill.downloads));                                                 // fault
  CHECK(cudaMemcpyAsync(slot.host_cells, slot.cells, kCells * sizeof(float4),
                        cudaMemcpyDeviceToHost,  // fault
                        mill.downloads));        // fault
  CHECK(cudaEventRecord(slot.done, mill.downloads));
}

void prepare(Slot& slot) {
  slot.seen = device_array<unsigned char>(kBoard);
  slot.cells = device_array<float4>(kCells);
  slot.preview = device_array<unsigned char>(kSmall);
  slot.host_cells = pinned_array<float4>(kCells);
  slot.host_preview = pinned_array<unsigned char>(kSmall);
  for (cudaEvent_t* event : {&slot.ready, &slot.worked, &slot.done})
    CHECK(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
}

void fill_ring(unsigned char* ring) {
  constexpr std::size_t kBytes = static_cast<std::size_t>(kRingRows) * kWide;
  unsigned char* made = device_array<unsigned char>(kBytes);
  saw<<<kBytes / kThreads, kThreads>>>(made);
  CHECK(cudaMemcpy(ring, made, kBytes, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(made));
}

template <class Ways>
Case make() {
  const auto mill = std::make_shared<Mill>();
  upload_bank();
  mill->ring = pinned_array<unsigned char>(static_cast<std::size_t>(kRingRows) * kWide);
  fill_ring(mill->ring);
  for (Slot& slot : mill->slots) prepare(slot);
  mill->lamp = device_array<float>(kSmallWide);
  fill_fractions(mill->lamp, kSmallWide, 11);
  mill->small = device_array<float>(kSmall);
  mill->strengths = device_array<float>(kSmall);
  mill->angles = device_array<unsigned char>(kSmall);
  Ways::open(*mill);  // fault
  const auto round = [=] {
    for (int i = 0; i < kBoardsOfRound; ++i) next_board(*mill);
  };
  const auto sum = [=] { return mill->graded; };
  return {round, sum, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, make<OneWay>, make<ThreeWays>);
}
