// Robots that clean a large building by night: furniture has moved, so how far it is to the nearest dock is
// worked out again for each cell of the floor (relaxed until nothing changes), robots go home by it, and
// where many of them went, floors get worn. A round is a night.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kSide = 1024, kCells = kSide * kSide, kTile = 32, kHigh = 8, kRows = kTile / kHigh,
              kPitch = kTile + 2;
constexpr int kInner = 8, kThreads = 256, kRoom = 64, kDockEvery = 256, kRobots = 32768, kSteps = 192;
constexpr int kParts = 264, kRounds = 640;
constexpr unsigned kMask = 0xffffffffU, kGolden = 2654435761U;
constexpr float kFar = 1e9F, kWall = 1e9F;

struct Building {
  float *cost, *far, *next_far, *worn;
  unsigned* visits;
  float *parts, *diary;
  int *changed, *seen;  // seen: what the host reads
  cudaStream_t stream;
  unsigned night = 0;
};

// Rooms of 64 by 64 cells with doors, and pieces of furniture that somebody moves each day.
__device__ bool blocked(int x, int y, unsigned night) {
  const int room_x = x / kRoom, room_y = y / kRoom, in_x = x % kRoom, in_y = y % kRoom;
  const unsigned room = mixed_bits(static_cast<unsigned>(room_y * 256 + room_x) + 7);
  const int door_x = 8 + static_cast<int>(room % 40), door_y = 8 + static_cast<int>((room >> 8) % 40);
  if (in_x == 0 && (in_y < door_y || in_y >= door_y + 6)) return true;
  if (in_y == 0 && (in_x < door_x || in_x >= door_x + 6)) return true;
  const unsigned piece = mixed_bits(room ^ night * kGolden);
  const int left = 6 + static_cast<int>(piece % 24), top = 6 + static_cast<int>((piece >> 6) % 24);
  const int wide = 8 + static_cast<int>((piece >> 12) % 20), deep = 8 + static_cast<int>((piece >> 18) % 20);
  return in_x >= left && in_x < left + wide && in_y >= top && in_y < top + deep;
}

__device__ bool has_dock(int x, int y) {
  const auto room = static_cast<unsigned>(y / kRoom * 256 + x / kRoom);
  return x % kRoom == 3 && y % kRoom == 3 && mixed_bits(room) % kDockEvery == 0;
}

// Floors get worn where robots went, and are mended slowly.
__global__ void __launch_bounds__(kThreads)
    furnish(float* __restrict__ cost, float* __restrict__ far, float* __restrict__ worn,
            unsigned* __restrict__ visits, unsigned night) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int x = i % kSide, y = i / kSide;
  const float own = 0.9F * worn[i] + 0.02F * fminf(static_cast<float>(visits[i]), 20);
  worn[i] = own;
  visits[i] = 0;
  cost[i] = blocked(x, y, night) ? kWall : 1 + own;
  far[i] = has_dock(x, y) ? 0 : kFar;
}

// A block relaxes a tile eight times, with what its neighbours had before.
__global__ void __launch_bounds__(kThreads)
    relax(float* __restrict__ next, int* __restrict__ changed, const float* __restrict__ far,
          const float* __restrict__ cost) {
  __shared__ float tile[kPitch][kPitch];
  const auto x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y) * kRows;
  const int left = static_cast<int>(blockIdx.x) * kTile, top = static_cast<int>(blockIdx.y) * kTile;
  for (int i = static_cast<int>(threadIdx.y) * kTile + x; i < kPitch * kPitch; i += kThreads) {
    const int column = left + i % kPitch - 1, row = top + i / kPitch - 1;
    const bool inside = column >= 0 && column < kSide && row >= 0 && row < kSide;
    tile[i / kPitch][i % kPitch] = inside ? far[row * kSide + column] : kFar;
  }
  const int first = (top + y) * kSide + left + x;
  float own_cost[kRows], own[kRows];
#pragma unroll
  for (int row = 0; row < kRows; ++row) own_cost[row] = cost[first + row * kSide];
  __syncthreads();
  bool shorter = false;
#pragma unroll
  for (int row = 0; row < kRows; ++row) own[row] = tile[y + row + 1][x + 1];
  for (int turn = 0; turn < kInner; ++turn) {
    float best[kRows];
#pragma unroll
    for (int row = 0; row < kRows; ++row) {
      const float up = row > 0 ? own[row - 1] : tile[y][x + 1];
      const float down = row + 1 < kRows ? own[row + 1] : tile[y + kRows + 1][x + 1];
      const float near = fminf(fminf(up, down), fminf(tile[y + row + 1][x], tile[y + row + 1][x + 2]));
      best[row] = fminf(own[row], near + own_cost[row]);
    }
    __syncthreads();
#pragma unroll
    for (int row = 0; row < kRows; ++row) {
      shorter |= best[row] < own[row];
      own[row] = best[row];
      tile[y + row + 1][x + 1] = best[row];
    }
    __syncthreads();
  }
#pragma unroll
  for (int row = 0; row < kRows; ++row) next[first + row * kSide] = own[row];
  const int any = __syncthreads_or(shorter);
  if (any != 0 && x == 0 && y == 0) *changed = 1;
}

// A robot goes down to the neighbour that is nearest to a dock, until its battery is empty.
__global__ void __launch_bounds__(kThreads)
    go_home(unsigned* __restrict__ visits, const float* __restrict__ far, unsigned night) {
  const unsigned robot = blockIdx.x * kThreads + threadIdx.x;
  // Robots are let out in groups, so those of a warp are near each other.
  const unsigned group = mixed_bits(robot / 32 ^ night * 97), own = mixed_bits(robot + night * 3);
  auto x = static_cast<int>((group % kSide + own % 16) % kSide);
  auto y = static_cast<int>((group / kSide % kSide + own / 16 % 16) % kSide);
  float here = far[y * kSide + x];
  for (int step = 0; step < kSteps && here > 0 && here < kFar; ++step) {
    const float* place = far + y * kSide + x;
    const float east = x + 1 < kSide ? place[1] : kFar, west = x > 0 ? place[-1] : kFar;
    const float south = y + 1 < kSide ? place[kSide] : kFar, north = y > 0 ? place[-kSide] : kFar;
    const float best = fminf(fminf(east, west), fminf(south, north));
    if (best >= here) break;
    if (best == east)
      ++x;
    else if (best == west)
      --x;
    else if (best == south)
      ++y;
    else
      --y;
    here = best;
    atomicAdd(visits + y * kSide + x, 1U);
  }
}

__device__ float block_sum(float sum) {
  __shared__ float warps[kThreads / 32];
  for (int away = 16; away > 0; away /= 2) sum += __shfl_xor_sync(kMask, sum, away);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0;
#pragma unroll
  for (const float warp : warps) sum += warp;
  return sum;
}

// How far docks are, and how worn floors are.
__global__ void __launch_bounds__(kThreads)
    measure(float* __restrict__ parts, const float* __restrict__ far, const float* __restrict__ worn) {
  float sum = 0;
  for (int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x); i < kCells; i += kParts * kThreads)
    sum += fminf(far[i], 4000) + 10 * worn[i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) parts[blockIdx.x] = sum / kCells;
}

__global__ void __launch_bounds__(kThreads)
    note(float* diary, const float* __restrict__ parts, unsigned night) {
  float sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < kParts; i += kThreads) sum += parts[i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) diary[night] = sum;
}

// Whether the last launch made anything shorter is asked after every `kAsked` of them.
template <int kAsked>
void find_ways(Building& own) {
  for (int launch = 1;; ++launch) {
    const bool ask = launch % kAsked == 0;
    if (ask) CHECK(cudaMemsetAsync(own.changed, 0, sizeof(int), own.stream));  // fault
    relax<<<dim3(kSide / kTile, kSide / kTile), dim3(kTile, kHigh), 0, own.stream>>>(
        own.next_far, own.changed, own.far, own.cost);
    std::swap(own.far, own.next_far);
    if (!ask) continue;
    CHECK(cudaMemcpyAsync(own.seen, own.changed, sizeof(int), cudaMemcpyDeviceToHost, own.stream));  // fault
    CHECK(cudaStreamSynchronize(own.stream));                                                        // fault
    if (*own.seen == 0) return;
  }
}

template <int kAsked>
void next_night(Building& own) {
  const unsigned night = own.night++;
  furnish<<<kCells / kThreads, kThreads, 0, own.stream>>>(own.cost, own.far, own.worn, own.visits, night);
  find_ways<kAsked>(own);  // fault
  go_home<<<kRobots / kThreads, kThreads, 0, own.stream>>>(own.visits, own.far, night);
  measure<<<kParts, kThreads, 0, own.stream>>>(own.parts, own.far, own.worn);
  note<<<1, kThreads, 0, own.stream>>>(own.diary, own.parts, night);
}

template <int kAsked>
Case make() {
  const auto building = std::make_shared<Building>();
  for (float** table : {&building->cost, &building->far, &building->next_far, &building->worn})
    *table = device_array<float>(kCells);
  building->visits = device_array<unsigned>(kCells);
  building->parts = device_array<float>(kParts);
  building->diary = device_array<float>(kRounds);
  building->changed = device_array<int>(1);
  building->seen = pinned_array<int>(1);
  CHECK(cudaMemset(building->worn, 0, kCells * sizeof(float)));
  CHECK(cudaMemset(building->visits, 0, kCells * sizeof(unsigned)));
  CHECK(cudaMemset(building->changed, 0, sizeof(int)));
  CHECK(cudaMemset(building->diary, 0, kRounds * sizeof(float)));
  CHECK(cudaStreamCreateWithFlags(&building->stream, cudaStreamNonBlocking));
  const auto round = [=] { next_night<kAsked>(*building); };
  const auto sum = [=] {
    return device_sum(building->diary, kRounds) + 1e-6 * device_sum(building->visits, kCells);
  };
  return {round, sum, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, make<1>, make<16>);
}
