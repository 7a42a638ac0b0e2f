// Finds how blocks of 16 x 16 pixels move from a picture of a video to the next one, which an encoder wants
// to know: pictures of half the size are searched 16 pixels each way, and then the pictures themselves next
// to where that led. Pictures of 1920 x 1088 bytes come from the host, and vectors go back to it. A picture a
// round. Nothing is at fault. Copies have a stream of their own, four pictures are under way, and events keep
// the order. Bytes are read by fours, the window of a search lies in shared memory, and four differences are
// added by one instruction. The pattern is that of ratt-ru/montblanc, pull request 75: copies that overlap
// with kernels from the first one on, and NVIDIA/ACCV-Lab, pull request 33: one wait instead of many.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kWide = 1920, kHigh = 1088, kPixels = kWide * kHigh, kBlock = 16, kBlocksWide = kWide / kBlock;
constexpr int kBlocks = kBlocksWide * (kHigh / kBlock), kHalfWide = kWide / 2, kHalfHigh = kHigh / 2;
constexpr int kSlots = 4, kThreads = 128, kWarps = kThreads / 32, kReach = 16, kSide = 2 * kReach + 1;
constexpr int kHalfBlock = kBlock / 2, kRows = kHalfBlock + 2 * kReach, kPitch = kRows / 4 + 1;
constexpr int kNewRows = 32, kRounds = 40000;
constexpr unsigned kMask = 0xffffffffU;

// Four bytes from any place of a row that begins with a word.
__device__ unsigned bytes_at(const unsigned* row, int column) {
  const unsigned* word = row + column / 4;
  const int shift = column % 4 * 8;
  return __funnelshift_r(word[0], word[1], static_cast<unsigned>(shift));
}

// Sums of pairs of bytes, as two numbers of 16 bits.
__device__ unsigned pair_sums(unsigned word) {
  return (word & 0x00ff00ffU) + (word >> 8 & 0x00ff00ffU);
}

// Four pixels of the half a thread.
__global__ void __launch_bounds__(kThreads)
    halve(unsigned* __restrict__ half, const uint2* __restrict__ picture) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (i >= kHalfWide / 4 * kHalfHigh) return;
  const int column = i % (kHalfWide / 4), row = i / (kHalfWide / 4);
  const uint2* at = picture + 2 * row * (kWide / 8) + column;
  const uint2 above = at[0], below = at[kWide / 8];
  const unsigned left = pair_sums(above.x) + pair_sums(below.x),
                 right = pair_sums(above.y) + pair_sums(below.y);
  const unsigned two = (left + 0x00020002U) >> 2 & 0x00ff00ffU,
                 more = (right + 0x00020002U) >> 2 & 0x00ff00ffU;
  half[i] = __byte_perm(two, more, 0x6420);
}

// The least number of a warp.
__device__ unsigned least_of_warp(unsigned found) {
  return __reduce_min_sync(kMask, found);
}

// A warp has a block, and lanes try places. What lies beyond the picture is its border.
__global__ void __launch_bounds__(kThreads)
    search(unsigned* __restrict__ vectors, const unsigned* __restrict__ half,
           const unsigned* __restrict__ half_before) {
  __shared__ unsigned windows[kWarps][kRows * kPitch];
  const auto lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  const int block = static_cast<int>(blockIdx.x) * kWarps + warp;
  const int left = block % kBlocksWide * kHalfBlock, top = block / kBlocksWide * kHalfBlock;
  unsigned* window = windows[warp];
  for (int i = lane; i < kRows * kPitch; i += 32) {
    const int row = min(max(top - kReach + i / kPitch, 0), kHalfHigh - 1);
    const int word = min(max(left / 4 - kReach / 4 + i % kPitch, 0), kHalfWide / 4 - 1);
    window[i] = half_before[row * (kHalfWide / 4) + word];
  }
  unsigned own[kHalfBlock][2];
#pragma unroll
  for (int row = 0; row < kHalfBlock; ++row) {
    const uint2 two = *reinterpret_cast<const uint2*>(half + (top + row) * (kHalfWide / 4) + left / 4);
    own[row][0] = two.x;
    own[row][1] = two.y;
  }
  __syncwarp();
  unsigned best = kMask;
  for (int place = lane; place < kSide * kSide; place += 32) {
    const int x = place % kSide, y = place / kSide;
    unsigned sum = 0;
#pragma unroll
    for (int row = 0; row < kHalfBlock; ++row) {
      const unsigned* line = window + (y + row) * kPitch;
      sum = __vsadu4(bytes_at(line, x), own[row][0]) + sum;
      sum = __vsadu4(bytes_at(line, x + 4), own[row][1]) + sum;
    }
    const auto far = static_cast<unsigned>(abs(x - kReach) + abs(y - kReach));
    best = min(best, (sum * 4 + far) << 12 | static_cast<unsigned>(place));
  }
  best = least_of_warp(best);
  if (lane == 0) vectors[block] = best & 4095;
}

// Lanes try 25 places next to twice the vector of the half. `totals` are over all pictures.
__global__ void __launch_bounds__(kThreads)
    refine(int* __restrict__ vectors, unsigned* __restrict__ totals, const unsigned* __restrict__ coarse,
           const unsigned* __restrict__ picture, const unsigned* __restrict__ before) {
  const auto lane = static_cast<int>(threadIdx.x % 32);
  const int block = static_cast<int>(blockIdx.x * kThreads + threadIdx.x) / 32;
  const int left = block % kBlocksWide * kBlock, top = block / kBlocksWide * kBlock;
  const auto found = static_cast<int>(coarse[block]);
  const int x = 2 * (found % kSide - kReach) + lane % 5 - 2, y = 2 * (found / kSide - kReach) + lane / 5 - 2;
  const int column = min(max(left + x, 0), kWide - kBlock - 4), first = min(max(top + y, 0), kHigh - kBlock);
  unsigned sum = 0;
#pragma unroll 4
  for (int row = 0; row < kBlock; ++row) {
    const unsigned *own = picture + (top + row) * (kWide / 4) + left / 4,
                   *line = before + (first + row) * (kWide / 4);
#pragma unroll
    for (int four = 0; four < kBlock / 4; ++four)
      sum = __vsadu4(bytes_at(line, column + 4 * four), own[four]) + sum;
  }
  const unsigned best = least_of_warp(lane < 25 ? sum << 5 | static_cast<unsigned>(lane) : kMask);
  if (lane != static_cast<int>(best & 31)) return;
  vectors[block] = (column - left) * 65536 + (first - top);
  totals[block] += sum;
}

struct Slot {
  unsigned char* host_picture;
  unsigned *picture, *half, *coarse;
  int *vectors, *host_vectors;
  cudaEvent_t uploaded, searched, downloaded;
};

struct Video {
  Slot slots[kSlots];
  unsigned* totals;
  cudaStream_t uploads, work, downloads;
  int number;
  double moved;
};

cudaEvent_t new_event() {
  cudaEvent_t event = nullptr;
  CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  return event;
}

Slot new_slot() {
  Slot slot{};
  slot.host_picture = pinned_array<unsigned char>(kPixels);
  slot.picture = device_array<unsigned>(kPixels / 4);
  slot.half = device_array<unsigned>(kPixels / 16);
  slot.coarse = device_array<unsigned>(kBlocks);
  slot.vectors = device_array<int>(kBlocks);
  slot.host_vectors = pinned_array<int>(kBlocks);
  slot.uploaded = new_event();
  slot.searched = new_event();
  slot.downloaded = new_event();
  for (int i = 0; i < kPixels; ++i) {
    const int column = i % kWide, row = i / kWide;
    const unsigned noise = mixed_bits(static_cast<unsigned>(column / 8 + row / 8 * kWide)) % 160;
    slot.host_picture[i] = static_cast<unsigned char>(noise + static_cast<unsigned>((column + row) % 64));
  }
  return slot;
}

void take_vectors(Video& video, const Slot& slot) {
  CHECK(cudaEventSynchronize(slot.downloaded));
  long long sum = 0;
  for (int i = 0; i < kBlocks; ++i) sum += std::abs(slot.host_vectors[i] >> 16);
  video.moved += 1e-3 * static_cast<double>(sum);
}

// Stands for the camera: some rows of the picture change.
void expose(const Slot& slot, int number) {
  unsigned char* rows = slot.host_picture + number / kSlots % (kHigh / kNewRows) * kNewRows * kWide;
  const auto change = static_cast<unsigned char>(number * 29 % 61);
  for (int i = 0; i < kNewRows * kWide; ++i) rows[i] = static_cast<unsigned char>(rows[i] ^ change);
}

void take_picture(Video& video) {
  const int number = video.number++;
  const Slot &slot = video.slots[number % kSlots], &before = video.slots[(number + kSlots - 1) % kSlots];
  if (number >= kSlots) take_vectors(video, slot);
  expose(slot, number);
  // What lies in the slot was compared with the picture after it; that must be done.
  if (number >= kSlots - 1)
    CHECK(cudaStreamWaitEvent(video.uploads, video.slots[(number + 1) % kSlots].searched, 0));
  CHECK(cudaMemcpyAsync(slot.picture, slot.host_picture, kPixels, cudaMemcpyHostToDevice, video.uploads));
  CHECK(cudaEventRecord(slot.uploaded, video.uploads));
  CHECK(cudaStreamWaitEvent(video.work, slot.uploaded, 0));
  constexpr unsigned kHalves = (kPixels / 16 + kThreads - 1) / kThreads;
  halve<<<kHalves, kThreads, 0, video.work>>>(slot.half, reinterpret_cast<const uint2*>(slot.picture));
  search<<<kBlocks / kWarps, kThreads, 0, video.work>>>(slot.coarse, slot.half, before.half);
  refine<<<kBlocks / kWarps, kThreads, 0, video.work>>>(slot.vectors, video.totals, slot.coarse, slot.picture,
                                                        before.picture);
  CHECK(cudaEventRecord(slot.searched, video.work));
  CHECK(cudaStreamWaitEvent(video.downloads, slot.searched, 0));
  CHECK(cudaMemcpyAsync(slot.host_vectors, slot.vectors, kBlocks * sizeof(int), cudaMemcpyDeviceToHost,
                        video.downloads));
  CHECK(cudaEventRecord(slot.downloaded, video.downloads));
}

Case make() {
  const auto video = std::make_shared<Video>();
  for (Slot& slot : video->slots) slot = new_slot();
  const Slot& last = video->slots[kSlots - 1];
  CHECK(cudaMemcpy(last.picture, last.host_picture, kPixels, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(last.half, 0, kPixels / 4));
  video->totals = device_array<unsigned>(kBlocks);
  CHECK(cudaMemset(video->totals, 0, kBlocks * sizeof(unsigned)));
  for (cudaStream_t* stream : {&video->uploads, &video->work, &video->downloads})
    CHECK(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
  return {[=] { take_picture(*video); },
          [=] {
            CHECK(cudaDeviceSynchronize());
            return video->moved + 1e-6 * device_sum(video->totals, kBlocks);
          },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, nullptr, [] { return make(); });
}
