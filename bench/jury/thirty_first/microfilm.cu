// Old newspapers on microfilm: a scanner delivers pages of 4096 by 4096 grey pixels, which are freed of grain
// (bilateral filter), made black and white by a threshold that follows the paper (Sauvola, by cells), and
// judged for how far they are askew (profiles along many slopes). Four pages a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kWide = 4096, kHigh = 4096, kPixels = kWide * kHigh, kQuads = kWide / 4, kStamp = 64;
constexpr int kThreads = 256, kTileWide = 128, kTileHigh = 8, kReach = 4, kPitch = kTileWide + 2 * kReach;
constexpr int kCell = 16, kCellsWide = kWide / kCell, kCellsHigh = kHigh / kCell;
constexpr int kWords = kWide / 32, kSlopes = 128, kJudges = 1024;
constexpr int kHeld = 6, kSlots = 3, kPagesOfRound = 4, kRounds = 320;
constexpr unsigned kMask = 0xffffffffU;

// A page on the GPU.
struct Slot {
  unsigned char* page;
  cudaEvent_t arrived, used;
};

struct Reader {
  unsigned char* held[kHeld];  // pages as the scanner left them
  cudaEvent_t sent[kHeld];
  Slot slots[kSlots];
  uchar4* smooth;
  float2* cells;          // mean and deviation
  unsigned* ink;          // 32 pixels of a row; word column after word column
  float2* slopes;         // how sharp the profile is, and how much ink there is
  float *settings, *log;  // darkness of the threshold, slope, ink
  cudaStream_t upload, work;
  int page = 0;
};

__device__ float4 floats_of(uchar4 four) {
  return make_float4(static_cast<float>(four.x), static_cast<float>(four.y), static_cast<float>(four.z),
                     static_cast<float>(four.w));
}

// Each thread has four pixels of a row, and looks at 81 neighbours of each.
__global__ void __launch_bounds__(kThreads)
    free_of_grain(uchar4* __restrict__ smooth, const uchar4* __restrict__ page) {
  __shared__ float4 tile[kTileHigh + 2 * kReach][kPitch / 4];
  const auto x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int left = static_cast<int>(blockIdx.x) * (kTileWide / 4) - 1;
  const int top = static_cast<int>(blockIdx.y) * kTileHigh - kReach;
  for (int i = y * 32 + x; i < (kTileHigh + 2 * kReach) * (kPitch / 4); i += kThreads) {
    const int row = min(max(top + i / (kPitch / 4), 0), kHigh - 1);
    const int quad = min(max(left + i % (kPitch / 4), 0), kQuads - 1);
    tile[i / (kPitch / 4)][i % (kPitch / 4)] = floats_of(page[row * kQuads + quad]);
  }
  __syncthreads();
  const float4 own = tile[y + kReach][x + 1];
  const float middle[4] = {own.x, own.y, own.z, own.w};
  float sums[4] = {}, weights[4] = {};
#pragma unroll
  for (int row = 0; row <= 2 * kReach; ++row) {
    const float4 one = tile[y + row][x], two = tile[y + row][x + 1], three = tile[y + row][x + 2];
    const float line[12] = {one.x, one.y, one.z,   one.w,   two.x,   two.y,
                            two.z, two.w, three.x, three.y, three.z, three.w};
#pragma unroll
    for (int pixel = 0; pixel < 4; ++pixel)
#pragma unroll
      for (int column = 0; column <= 2 * kReach; ++column) {
        const int far = (row - kReach) * (row - kReach) + (column - kReach) * (column - kReach);
        const float value = line[pixel + column], apart = value - middle[pixel];
        const float weight = __expf(-0.0015F * apart * apart - 0.08F * static_cast<float>(far));
        sums[pixel] += weight * value;
        weights[pixel] += weight;
      }
  }
  unsigned char four[4];
#pragma unroll
  for (int pixel = 0; pixel < 4; ++pixel)
    four[pixel] = static_cast<unsigned char>(__fdividef(sums[pixel], weights[pixel]) + 0.5F);
  smooth[(top + kReach + y) * kQuads + left + 1 + x] = make_uchar4(four[0], four[1], four[2], four[3]);
}

// A block has 16 cells of 16 by 16 pixels; a thread has four rows of four pixels.
__global__ void __launch_bounds__(kThreads)
    measure_cells(float2* __restrict__ cells, const uchar4* __restrict__ smooth) {
  __shared__ float2 parts[4][16];
  const auto x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const uchar4* first =
      smooth + (static_cast<int>(blockIdx.y) * kCell + 4 * y) * kQuads + blockIdx.x * 64 + x;
  float sum = 0, squares = 0;
#pragma unroll
  for (int row = 0; row < 4; ++row) {
    const float4 four = floats_of(first[row * kQuads]);
    sum += four.x + four.y + four.z + four.w;
    squares += four.x * four.x + four.y * four.y + four.z * four.z + four.w * four.w;
  }
  for (int far = 1; far < 4; far *= 2) {
    sum += __shfl_xor_sync(kMask, sum, far);
    squares += __shfl_xor_sync(kMask, squares, far);
  }
  if (x % 4 == 0) parts[y][x / 4] = make_float2(sum, squares);
  __syncthreads();
  if (y != 0 || x >= 16) return;
  sum = parts[0][x].x + parts[1][x].x + parts[2][x].x + parts[3][x].x;
  squares = parts[0][x].y + parts[1][x].y + parts[2][x].y + parts[3][x].y;
  const float mean = sum / (kCell * kCell);
  cells[blockIdx.y * kCellsWide + blockIdx.x * 16 + x] =
      make_float2(mean, sqrtf(fmaxf(squares / (kCell * kCell) - mean * mean, 0)));
}

// Between the middles of cells.
__device__ float2 paper_at(const float2* cells, float x, float y) {
  const float at_x = fminf(fmaxf(x / kCell - 0.5F, 0), kCellsWide - 1.001F);
  const float at_y = fminf(fmaxf(y / kCell - 0.5F, 0), kCellsHigh - 1.001F);
  const auto column = static_cast<int>(at_x), row = static_cast<int>(at_y);
  const float right = at_x - static_cast<float>(column), down = at_y - static_cast<float>(row);
  const float2* corner = cells + row * kCellsWide + column;
  const float2 one = corner[0], two = corner[1], three = corner[kCellsWide], four = corner[kCellsWide + 1];
  const float up_mean = one.x + right * (two.x - one.x), low_mean = three.x + right * (four.x - three.x);
  const float up_wide = one.y + right * (two.y - one.y), low_wide = three.y + right * (four.y - three.y);
  return make_float2(up_mean + down * (low_mean - up_mean), up_wide + down * (low_wide - up_wide));
}

// A block has 128 by 64 pixels, a warp a row of them at a time. Eight lanes make a word.
__global__ void __launch_bounds__(kThreads)
    find_ink(unsigned* __restrict__ ink, const uchar4* __restrict__ smooth, const float2* __restrict__ cells,
             const float* __restrict__ settings) {
  __shared__ unsigned words[4][64];
  const auto lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const float dark = settings[0];
  for (int row = warp; row < 64; row += kThreads / 32) {
    const int y = static_cast<int>(blockIdx.y) * 64 + row, quad = static_cast<int>(blockIdx.x) * 32 + lane;
    const float4 own = floats_of(smooth[y * kQuads + quad]);
    const float2 paper = paper_at(cells, 4 * static_cast<float>(quad) + 2, static_cast<float>(y) + 0.5F);
    const float bound = paper.x * (1 + dark * (paper.y / 128 - 1));
    unsigned bits = (own.x < bound) | (own.y < bound) << 1 | (own.z < bound) << 2 | (own.w < bound) << 3;
    bits <<= 4 * (lane % 8);
    for (int far = 1; far < 8; far *= 2) bits |= __shfl_xor_sync(kMask, bits, far);
    if (lane % 8 == 0) words[lane / 8][row] = bits;
  }
  __syncthreads();
  const auto column = static_cast<int>(threadIdx.x) / 64, row = static_cast<int>(threadIdx.x) % 64;
  ink[(blockIdx.x * 4 + column) * kHigh + blockIdx.y * 64 + row] = words[column][row];
}

// A block has a slope: ink is counted along lines of that slope, and the profile is sharp where they follow
// the text. Threads go down a column of words.
__global__ void __launch_bounds__(kJudges)
    try_slope(float2* __restrict__ slopes, const unsigned* __restrict__ ink) {
  __shared__ int profile[kHigh];
  __shared__ float2 parts[kJudges / 32];
  const auto thread = static_cast<int>(threadIdx.x);
  const float slope = 0.0002F * (static_cast<float>(blockIdx.x) - 0.5F * kSlopes);
  int counts[kHigh / kJudges] = {};
  for (int column = 0; column < kWords; ++column) {
    const int shift = __float2int_rn(slope * 32 * static_cast<float>(column - kWords / 2));
#pragma unroll
    for (int part = 0; part < kHigh / kJudges; ++part) {
      const int row = part * kJudges + thread + shift;
      if (row >= 0 && row < kHigh) counts[part] += __popc(ink[column * kHigh + row]);
    }
  }
#pragma unroll
  for (int part = 0; part < kHigh / kJudges; ++part) profile[part * kJudges + thread] = counts[part];
  __syncthreads();
  float2 sum = make_float2(0, 0);
  for (int row = thread; row < kHigh - 1; row += kJudges) {
    const auto here = static_cast<float>(profile[row]), change = here - static_cast<float>(profile[row + 1]);
    sum.x += change * change;
    sum.y += here;
  }
  for (int far = 16; far > 0; far /= 2) {
    sum.x += __shfl_xor_sync(kMask, sum.x, far);
    sum.y += __shfl_xor_sync(kMask, sum.y, far);
  }
  if (thread % 32 == 0) parts[thread / 32] = sum;
  __syncthreads();
  if (thread != 0) return;
  for (int warp = 1; warp < kJudges / 32; ++warp)
    sum = make_float2(sum.x + parts[warp].x, sum.y + parts[warp].y);
  slopes[blockIdx.x] = sum;
}

// The sharpest slope is noted; a page with much ink gets a darker threshold next time.
__global__ void __launch_bounds__(kSlopes)
    note_page(float* settings, float* log, const float2* __restrict__ slopes, int page) {
  __shared__ unsigned long long best[kSlopes / 32];
  const auto thread = static_cast<int>(threadIdx.x);
  unsigned long long key =
      static_cast<unsigned long long>(__float_as_uint(slopes[thread].x)) << 32 | threadIdx.x;
  for (int far = 16; far > 0; far /= 2) key = max(key, __shfl_xor_sync(kMask, key, far));
  if (thread % 32 == 0) best[thread / 32] = key;
  __syncthreads();
  if (thread != 0) return;
  for (const unsigned long long other : best) key = max(key, other);
  const float ink = slopes[kSlopes / 2].y / kPixels;
  settings[1] = 0.9F * settings[1] + 0.1F * static_cast<float>(static_cast<unsigned>(key));
  settings[2] = 0.9F * settings[2] + 0.1F * ink;
  settings[0] += 0.05F * (ink - 0.25F) - 0.02F * (settings[0] - 0.25F);
  log[page] = ink + 1e-3F * settings[1];
}

// Where the scanner leaves its pages.
struct Heap {
  static unsigned char* pages(std::size_t bytes) {
    return static_cast<unsigned char*>(std::malloc(bytes));
  }  // fault
};

struct Locked {
  static unsigned char* pages(std::size_t bytes) { return pinned_array<unsigned char>(bytes); }
};

// Lines of letters on paper that is darker at one side.
void scan_page(unsigned char* page, unsigned number) {
  for (int y = 0; y < kHigh; ++y)
    for (int letter = 0; letter < kWide / 16; ++letter) {
      const int line = (y + letter * static_cast<int>(number) / 20) / 24;
      const int within = (y + letter * static_cast<int>(number) / 20) % 24;
      const unsigned glyph = mixed_bits(static_cast<unsigned>(line * 4096 + letter) ^ number << 24);
      unsigned strokes =
          within < 16 && glyph % 6 != 0 ? mixed_bits(glyph ^ static_cast<unsigned>(within / 3)) : 0;
      unsigned grain = mixed_bits(static_cast<unsigned>(y * 256 + letter) + number);
      const unsigned paper = 170U + static_cast<unsigned>(letter) / 8U;
      unsigned char* at = page + y * kWide + letter * 16;
      for (int x = 0; x < 16; ++x, strokes >>= 1, grain = grain * 1664525U + 1013904223U)
        at[x] = static_cast<unsigned char>((strokes & 1 ? 60U : paper) + (grain >> 27));
    }
}

// The date and the number at the head of a page.
void stamp_page(unsigned char* page, int number) {
  for (int block = 0; block < kStamp / 8 * (kWide / 64); ++block) {
    const unsigned bits = mixed_bits(static_cast<unsigned>(number * 512 + block));
    unsigned char* at = page + block / (kWide / 64) * 8 * kWide + block % (kWide / 64) * 64;
    for (int row = 0; row < 8; ++row) std::memset(at + row * kWide, bits >> row & 1 ? 50 : 190, 64);
  }
}

void next_page(Reader& reader) {
  const int page = reader.page++, held = page % kHeld;
  const Slot& slot = reader.slots[page % kSlots];
  CHECK(cudaEventSynchronize(reader.sent[held]));
  stamp_page(reader.held[held], page);
  CHECK(cudaStreamWaitEvent(reader.upload, slot.used, 0));
  CHECK(cudaMemcpyAsync(slot.page, reader.held[held], kPixels, cudaMemcpyHostToDevice,
                        reader.upload));  // fault
  CHECK(cudaEventRecord(reader.sent[held], reader.upload));
  CHECK(cudaEventRecord(slot.arrived, reader.upload));
  CHECK(cudaStreamWaitEvent(reader.work, slot.arrived, 0));
  free_of_grain<<<dim3(kWide / kTileWide, kHigh / kTileHigh), dim3(32, kTileHigh), 0, reader.work>>>(
      reader.smooth, reinterpret_cast<const uchar4*>(slot.page));
  CHECK(cudaEventRecord(slot.used, reader.work));
  measure_cells<<<dim3(kCellsWide / 16, kCellsHigh), dim3(64, 4), 0, reader.work>>>(reader.cells,
                                                                                    reader.smooth);
  find_ink<<<dim3(kWide / 128, kHigh / 64), kThreads, 0, reader.work>>>(reader.ink, reader.smooth,
                                                                        reader.cells, reader.settings);
  try_slope<<<kSlopes, kJudges, 0, reader.work>>>(reader.slopes, reader.ink);
  note_page<<<1, kSlopes, 0, reader.work>>>(reader.settings, reader.log, reader.slopes, page);
}

template <class Memory>
void set_up(Reader& reader) {
  for (int i = 0; i < kHeld; ++i) {
    reader.held[i] = Memory::pages(kPixels);  // fault
    scan_page(reader.held[i], static_cast<unsigned>(i + 1));
    CHECK(cudaEventCreateWithFlags(&reader.sent[i], cudaEventDisableTiming));
  }
  for (Slot& slot : reader.slots) {
    slot.page = device_array<unsigned char>(kPixels);
    CHECK(cudaEventCreateWithFlags(&slot.arrived, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&slot.used, cudaEventDisableTiming));
  }
  reader.smooth = device_array<uchar4>(kPixels / 4);
  reader.cells = device_array<float2>(kCellsWide * kCellsHigh);
  reader.ink = device_array<unsigned>(kWords * kHigh);
  reader.slopes = device_array<float2>(kSlopes);
  reader.settings = device_array<float>(3);
  reader.log = device_array<float>(kPagesOfRound * kRounds);
  const float settings[3] = {0.25F, kSlopes / 2, 0.1F};
  CHECK(cudaMemcpy(reader.settings, settings, sizeof settings, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(reader.log, 0, kPagesOfRound * kRounds * sizeof(float)));
  CHECK(cudaStreamCreateWithFlags(&reader.upload, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&reader.work, cudaStreamNonBlocking));
}

template <class Memory>
Case make() {
  const auto reader = std::make_shared<Reader>();
  set_up<Memory>(*reader);
  const auto round = [=] {
    for (int i = 0; i < kPagesOfRound; ++i) next_page(*reader);
  };
  const auto sum = [=] {
    return device_sum(reader->log, kPagesOfRound * kRounds) + device_sum(reader->settings, 3);
  };
  return {round, sum, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, make<Heap>, make<Locked>);
}
