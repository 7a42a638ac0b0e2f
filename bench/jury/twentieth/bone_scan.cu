// Finds what is inside a bone from X-ray pictures taken around it: each picture is sharpened along its rows,
// and what its pixels saw is spread back over 256 x 256 x 256 cells along the rays that led to them. Eight
// pictures of 384 x 384 pixels come from the host in a round; after 45 rounds the source has gone around, and
// the next bone is scanned.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kSide = 256, kPlane = kSide * kSide, kCells = kPlane * kSide, kWide = 384, kHigh = 384;
constexpr int kPixels = kWide * kHigh, kAtOnce = 8, kTurn = 45, kReach = 24, kOfThread = 4, kThreads = 256;
constexpr int kSlots = 4, kBatch = kAtOnce * kPixels, kRowThreads = kWide / 4, kLayersDeep = 8;
constexpr int kNewRows = 64, kRounds = 11000;
constexpr float kSource = 600, kScale = 1;
constexpr unsigned kMask = 0xffffffffU;

struct Filter {
  float taps[kReach + 1];
};

// Where the source stands, as cosine and sine of the angle, for each picture of a round.
struct Angles {
  float2 at[kAtOnce];
};

__constant__ Filter kept_filter;

// A block has a row of a picture, and a thread four pixels. Beyond the edge nothing was seen.
__global__ void __launch_bounds__(kRowThreads)
    sharpen(float4* __restrict__ sharp, const ushort4* __restrict__ pictures) {
  constexpr int kEdge = kReach / 4;
  __shared__ float4 row[kRowThreads + 2 * kEdge];
  const auto thread = static_cast<int>(threadIdx.x);
  const std::size_t at = std::size_t{blockIdx.x} * kRowThreads + threadIdx.x;
  const ushort4 seen = pictures[at];
  // By the law of Lambert and Beer.
  row[kEdge + thread] = make_float4(__logf(65536.0F / (1 + seen.x)), __logf(65536.0F / (1 + seen.y)),
                                    __logf(65536.0F / (1 + seen.z)), __logf(65536.0F / (1 + seen.w)));
  if (thread < 2 * kEdge) row[thread < kEdge ? thread : kRowThreads + thread] = make_float4(0, 0, 0, 0);
  __syncthreads();
  float near[2 * kReach + 4];
#pragma unroll
  for (int four = 0; four <= kReach / 2; ++four) {
    const float4 next = row[thread + four];
    near[4 * four] = next.x;
    near[4 * four + 1] = next.y;
    near[4 * four + 2] = next.z;
    near[4 * four + 3] = next.w;
  }
  float sums[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    sums[i] = kept_filter.taps[0] * near[kReach + i];
#pragma unroll
    for (int away = 1; away <= kReach; ++away)
      sums[i] += kept_filter.taps[away] * (near[kReach + i - away] + near[kReach + i + away]);
  }
  sharp[at] = make_float4(sums[0], sums[1], sums[2], sums[3]);
}

// A thread has four cells that lie upon each other, for all eight pictures. The bone is a ball in the middle
// of the cells, and all its rays meet the pictures.
__global__ void __launch_bounds__(kThreads)
    spread_back(float* __restrict__ cells, const float* __restrict__ sharp,
                const __grid_constant__ Angles angles, bool afresh) {
  const auto column = static_cast<int>(threadIdx.x % 32 + blockIdx.x * 32),
             row = static_cast<int>(threadIdx.x / 32 + blockIdx.y * 8),
             lowest = static_cast<int>(blockIdx.z) * kOfThread;
  const float x = static_cast<float>(column) - 0.5F * (kSide - 1),
              y = static_cast<float>(row) - 0.5F * (kSide - 1),
              z = static_cast<float>(lowest) - 0.5F * (kSide - 1);
  if (x * x + y * y > 0.25F * kPlane) return;
  float sums[kOfThread]{};
#pragma unroll 2
  for (int picture = 0; picture < kAtOnce; ++picture) {
    const float2 angle = angles.at[picture];
    const float away = kSource / (kSource - x * angle.x - y * angle.y), weight = away * away,
                across = kScale * away * (y * angle.x - x * angle.y) + 0.5F * (kWide - 1), step = 0.8F * away;
    const int left = min(max(static_cast<int>(across), 0), kWide - 2);
    const float right_share = across - static_cast<float>(left);
    const float* seen = sharp + picture * kPixels + left;
    float up = step * z + 0.5F * (kHigh - 1);
#pragma unroll
    for (int cell = 0; cell < kOfThread; ++cell) {
      const int low = min(max(static_cast<int>(up), 0), kHigh - 2);
      const float high_share = up - static_cast<float>(low);
      const float *below = seen + low * kWide, *above = below + kWide;
      const float lower = below[0] + right_share * (below[1] - below[0]),
                  upper = above[0] + right_share * (above[1] - above[0]);
      sums[cell] += weight * (lower + high_share * (upper - lower));
      up += step;
    }
  }
#pragma unroll
  for (int cell = 0; cell < kOfThread; ++cell) {
    float& own = cells[(lowest + cell) * kPlane + row * kSide + column];
    own = afresh ? sums[cell] : own + sums[cell];
  }
}

// What lies in a stack of layers. A block has eight layers of a row. `found` is over all bones.
__global__ void __launch_bounds__(kSide) weigh(double* __restrict__ found, const float* __restrict__ cells) {
  __shared__ float warps[kSide / 32];
  const auto row = static_cast<int>(blockIdx.x), stack = static_cast<int>(blockIdx.y);
  const float* own = cells + stack * kLayersDeep * kPlane + row * kSide + static_cast<int>(threadIdx.x);
  float sum = 0;
#pragma unroll
  for (int layer = 0; layer < kLayersDeep; ++layer) sum += fabsf(own[layer * kPlane]);
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(kMask, sum, far);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int i = 1; i < kSide / 32; ++i) sum += warps[i];
  found[stack * kSide + row] += static_cast<double>(sum);
}

struct Slot {
  unsigned short* host_pictures;
  ushort4* pictures;
  cudaEvent_t uploaded, sharpened;
};

struct Scanner {
  Slot slots[kSlots];
  float4* sharp;
  float* cells;
  double* found;
  cudaStream_t uploads, work;
  int round;
};

cudaEvent_t new_event() {
  cudaEvent_t event = nullptr;
  CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  return event;
}

// Stands for the detector: some rows of the pictures change.
void take_pictures(const Slot& slot, int round) {
  constexpr int kRows = kAtOnce * kHigh;
  unsigned short* rows = slot.host_pictures + round / kSlots % (kRows / kNewRows) * kNewRows * kWide;
  const auto change = static_cast<unsigned short>(round * 37 % 1021);
  for (int i = 0; i < kNewRows * kWide; ++i) rows[i] = static_cast<unsigned short>(rows[i] ^ change);
}

Angles angles_of(int round) {
  Angles angles{};
  for (int picture = 0; picture < kAtOnce; ++picture) {
    const float turned =
        6.2831853F * static_cast<float>(round % kTurn * kAtOnce + picture) / (kTurn * kAtOnce);
    angles.at[picture] = make_float2(std::cos(turned), std::sin(turned));
  }
  return angles;
}

void scan(Scanner& scanner) {
  const int round = scanner.round++;
  const Slot& slot = scanner.slots[round % kSlots];
  CHECK(cudaEventSynchronize(slot.uploaded));
  take_pictures(slot, round);
  CHECK(cudaStreamWaitEvent(scanner.uploads, slot.sharpened, 0));
  CHECK(cudaMemcpyAsync(slot.pictures, slot.host_pictures, kBatch * sizeof(unsigned short),
                        cudaMemcpyHostToDevice, scanner.uploads));
  CHECK(cudaEventRecord(slot.uploaded, scanner.uploads));
  CHECK(cudaStreamWaitEvent(scanner.work, slot.uploaded, 0));
  sharpen<<<kAtOnce * kHigh, kRowThreads, 0, scanner.work>>>(scanner.sharp, slot.pictures);
  CHECK(cudaEventRecord(slot.sharpened, scanner.work));
  spread_back<<<dim3(kSide / 32, kSide / 8, kSide / kOfThread), kThreads, 0, scanner.work>>>(
      scanner.cells, reinterpret_cast<const float*>(scanner.sharp), angles_of(round), round % kTurn == 0);
  if (scanner.round % kTurn == 0)
    weigh<<<dim3(kSide, kSide / kLayersDeep), kSide, 0, scanner.work>>>(scanner.found, scanner.cells);
}

void set_up(Scanner& scanner) {
  auto* filter = pinned_array<Filter>(1);
  for (int away = 0; away <= kReach; ++away) {
    const auto far = static_cast<float>(away);
    filter->taps[away] = away == 0 ? 0.25F : away % 2 == 0 ? 0 : -1 / (9.8696F * far * far);
  }
  CHECK(cudaMemcpyToSymbol(kept_filter, filter, sizeof(Filter)));
  CHECK(cudaFreeHost(filter));
  scanner.sharp = device_array<float4>(kBatch / 4);
  scanner.cells = device_array<float>(kCells);
  scanner.found = device_array<double>(kSide * kSide / kLayersDeep);
  CHECK(cudaMemset(scanner.cells, 0, kCells * sizeof(float)));
  CHECK(cudaMemset(scanner.found, 0, kSide * kSide / kLayersDeep * sizeof(double)));
  for (cudaStream_t* stream : {&scanner.uploads, &scanner.work})
    CHECK(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
  for (Slot& slot : scanner.slots) {
    slot = {pinned_array<unsigned short>(kBatch), device_array<ushort4>(kBatch / 4), new_event(),
            new_event()};
    for (int i = 0; i < kBatch; ++i)
      slot.host_pictures[i] = static_cast<unsigned short>(mixed_bits(static_cast<unsigned>(i / 5)) % 65536);
  }
}

Case make() {
  const auto scanner = std::make_shared<Scanner>();
  set_up(*scanner);
  return {[=] { scan(*scanner); },
          [=] { return 1e-3 * device_sum(scanner->found, kSide * kSide / kLayersDeep); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, nullptr, [] { return make(); });
}
