// Moves up to four million people through a hall of 2048 m: in each step each is drawn to an exit and
// kept off 24 pillars, those who reach their exit leave, the others move up in the list, and new people
// come in.
// At fault: each step allocates the places in the list and the scratch memory of the scan that finds
// them, and gives both back. The pattern is that of FLAMEGPU/FLAMEGPU, issue 195: cudaMalloc and
// cudaFree in each step for the scan of agents.
#include <cub/device/device_scan.cuh>
#include <memory>
#include <utility>

#include "../case.cuh"

namespace {

constexpr int kMost = 1 << 22, kThreads = 256, kBlocks = kMost / kThreads, kComing = 2560;
constexpr int kPillars = 24, kExits = 4, kRounds = 8000;
constexpr float kSide = 2048, kStep = 0.8F, kNear = 4;

// Places and velocities in metres and in metres a step, and seeds, of which two bits are the exit.
struct People {
  float4* states;
  unsigned* seeds;
};

struct Crowd {
  People now, next;
  int* stay;
};

// How many people there are, for a step and the next one.
struct Counts {
  int now, next;
};

struct Place {
  float x, y;
};

struct Hall {
  Place pillars[kPillars], exits[kExits];
};

// What a step allocates.
struct Scan {
  int* places;
  void* scratch;
  std::size_t bytes;
};

__device__ void add_pushes(float4& state, const Hall& hall) {
#pragma unroll 8
  for (int i = 0; i < kPillars; ++i) {
    const float x = state.x - hall.pillars[i].x, y = state.y - hall.pillars[i].y;
    const float inverse = rsqrtf(x * x + y * y + 1), push = 60 * inverse * inverse * inverse;
    state.z += push * x;
    state.w += push * y;
  }
}

__global__ void __launch_bounds__(kThreads)
    walk(People people, int* __restrict__ stay, const Counts* counts, const __grid_constant__ Hall hall) {
  __shared__ Place exits[kExits];
  if (threadIdx.x < kExits) exits[threadIdx.x] = hall.exits[threadIdx.x];
  __syncthreads();
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (i >= counts->now) {
    stay[i] = 0;
    return;
  }
  float4 state = people.states[i];
  const unsigned seed = mixed_bits(people.seeds[i] & ~3U) & ~3U, which = people.seeds[i] & 3U;
  const float x = exits[which].x - state.x, y = exits[which].y - state.y;
  const float inverse = rsqrtf(x * x + y * y + 0.01F);
  const float drift = static_cast<float>(seed >> 8) / static_cast<float>(1U << 24) - 0.5F;
  state.z = 0.7F * state.z + 0.3F * kStep * (x + drift * y) * inverse;
  state.w = 0.7F * state.w + 0.3F * kStep * (y - drift * x) * inverse;
  add_pushes(state, hall);
  const float speed = rsqrtf(state.z * state.z + state.w * state.w + 0.01F);
  state.x = fminf(fmaxf(state.x + kStep * speed * state.z, 0), kSide);
  state.y = fminf(fmaxf(state.y + kStep * speed * state.w, 0), kSide);
  people.states[i] = state;
  people.seeds[i] = seed | which;
  stay[i] = inverse * kNear < 1 ? 1 : 0;
}

__global__ void __launch_bounds__(kThreads)
    move_up(People next, Counts* counts, const People now, const int* __restrict__ stay,
            const int* __restrict__ places) {
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int place = places[i], stays = stay[i];
  if (stays != 0) {
    next.states[place] = now.states[i];
    next.seeds[place] = now.seeds[i];
  }
  if (i == kMost - 1) counts->next = place + stays;
}

// People come in along the walls.
__global__ void __launch_bounds__(kThreads) come_in(People next, Counts* counts, unsigned step) {
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x), place = counts->next + i;
  if (place < kMost) {
    const unsigned seed = mixed_bits(step * kComing + static_cast<unsigned>(i));
    const float along = kSide * mixed_fraction(seed);
    next.states[place] =
        (seed & 4) != 0 ? make_float4(along, kSide / 2, 0, 0) : make_float4(kSide / 2, along, 0, 0);
    next.seeds[place] = seed;
  }
  if (i == 0) counts->now = min(counts->next + kComing, kMost);
}

__global__ void __launch_bounds__(kThreads) make_people(People people) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  people.states[i] = make_float4(kSide * mixed_fraction(3 * i), kSide * mixed_fraction(3 * i + 1), 0, 0);
  people.seeds[i] = mixed_bits(3 * i + 2);
}

Hall made_hall() {
  Hall hall{};
  for (unsigned i = 0; i < kPillars; ++i)
    hall.pillars[i] = {kSide * mixed_fraction(2 * i + 7), kSide * mixed_fraction(2 * i + 8)};
  for (unsigned i = 0; i < kExits; ++i)
    hall.exits[i] = {kSide * (i % 2 == 0 ? 0.1F : 0.9F), kSide * (i < 2 ? 0.2F : 0.8F)};
  return hall;
}

Scan allocated(const int* stay) {
  Scan scan{};
  CHECK(cub::DeviceScan::ExclusiveSum(nullptr, scan.bytes, stay, scan.places, kMost));
  CHECK(cudaMalloc(&scan.places, kMost * sizeof(int)));  // fault
  CHECK(cudaMalloc(&scan.scratch, scan.bytes));          // fault
  return scan;
}

void give_back(const Scan& scan) {
  CHECK(cudaFree(scan.scratch));  // fault
  CHECK(cudaFree(scan.places));   // fault
}

void find_places(Scan scan, const int* stay) {
  CHECK(cub::DeviceScan::ExclusiveSum(scan.scratch, scan.bytes, stay, scan.places, kMost));
}

People made_list() {
  return {device_array<float4>(kMost), device_array<unsigned>(kMost)};
}

Case make(bool in_each_step) {
  const auto crowd = std::make_shared<Crowd>(Crowd{made_list(), made_list(), device_array<int>(kMost)});
  make_people<<<kBlocks, kThreads>>>(crowd->now);
  make_people<<<kBlocks, kThreads>>>(crowd->next);
  CHECK(cudaGetLastError());
  const Counts begin{kMost, 0};
  auto* counts = device_array<Counts>(1);
  CHECK(cudaMemcpy(counts, &begin, sizeof(begin), cudaMemcpyHostToDevice));
  const Hall hall = made_hall();
  const Scan kept = in_each_step ? Scan{} : allocated(crowd->stay);
  auto step = std::make_shared<unsigned>(0);
  return {
      [=] {
        const Scan scan = in_each_step ? allocated(crowd->stay) : kept;
        walk<<<kBlocks, kThreads>>>(crowd->now, crowd->stay, counts, hall);
        find_places(scan, crowd->stay);
        move_up<<<kBlocks, kThreads>>>(crowd->next, counts, crowd->now, crowd->stay, scan.places);
        come_in<<<kComing / kThreads, kThreads>>>(crowd->next, counts, ++*step);
        std::swap(crowd->now, crowd->next);
        if (in_each_step) give_back(scan);
      },
      [=] { return device_sum(reinterpret_cast<const float*>(crowd->now.states), std::size_t{4} * kMost); },
      kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
