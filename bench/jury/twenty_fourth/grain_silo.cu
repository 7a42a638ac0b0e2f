// Grain in a silo, by discrete elements: grains are soft balls that push each other, fall, and leave by the
// outlet; what has left is filled in again at the top. Grains are sorted by cells of a grid, so that each
// finds those around it. A step a round.
#include <cub/device/device_radix_sort.cuh>
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kWide = 128, kHigh = 256, kCells = kWide * kWide * kHigh, kCellBits = 22, kGrains = 1 << 22;
constexpr int kThreads = 256, kBlocks = kGrains / kThreads, kTracers = 1 << 18, kRounds = 1900;
constexpr float kStep = 0.015F, kStiff = 800, kDamping = 8, kGravity = 0.3F, kFastest = 8, kOutlet = 24;
constexpr unsigned kMask = 0xffffffffU;

// Places have the radius in w.
struct Silo {
  float4 *places, *speeds, *pushed;
  float4 *sorted_places, *sorted_speeds;
  unsigned *cells[2], *order[2];
  int2* ranges;  // of the grains of a cell
  void* scratch;
  std::size_t scratch_bytes;
  float* gauges;
};

__device__ int clamped(float x, int cells) {
  return min(max(static_cast<int>(x), 0), cells - 1);
}

__device__ unsigned cell_of(float4 place) {
  return static_cast<unsigned>((clamped(place.z, kHigh) * kWide + clamped(place.y, kWide)) * kWide +
                               clamped(place.x, kWide));
}

__global__ void __launch_bounds__(kThreads)
    find_cells(unsigned* __restrict__ cells, unsigned* __restrict__ order,
               const float4* __restrict__ places) {
  const auto i = blockIdx.x * kThreads + threadIdx.x;
  cells[i] = cell_of(places[i]);
  order[i] = i;
}

// Cells without grains keep an empty range.
__global__ void __launch_bounds__(kThreads)
    find_ranges(int2* __restrict__ ranges, const unsigned* __restrict__ cells) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const unsigned own = cells[i];
  if (i == 0 || cells[i - 1] != own) ranges[own].x = i;
  if (i == kGrains - 1 || cells[i + 1] != own) ranges[own].y = i + 1;
}

__global__ void __launch_bounds__(kThreads)
    arrange(float4* __restrict__ sorted_places, float4* __restrict__ sorted_speeds,
            const float4* __restrict__ places, const float4* __restrict__ speeds,
            const unsigned* __restrict__ order) {
  const auto i = blockIdx.x * kThreads + threadIdx.x;
  const unsigned grain = order[i];
  sorted_places[i] = places[grain];
  sorted_speeds[i] = speeds[grain];
}

// Grains by their place in the order of cells.
struct ByOrder {
  const float4 *places, *speeds;
  const unsigned* order;

  __device__ float4 place(int i) const { return __ldg(places + order[i]); }  // fault
  __device__ float4 speed(int i) const { return __ldg(speeds + order[i]); }  // fault
};

struct Arranged {
  const float4 *places, *speeds;

  __device__ float4 place(int i) const { return __ldg(places + i); }
  __device__ float4 speed(int i) const { return __ldg(speeds + i); }
};

// A spring and a damper along the line between two grains.
template <class Grains>
__global__ void __launch_bounds__(kThreads, 6)
    collide(float4* __restrict__ pushed, Grains grains, const unsigned* __restrict__ order,
            const int2* __restrict__ ranges) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const float4 own = grains.place(i), moving = grains.speed(i);
  const int x = clamped(own.x, kWide), y = clamped(own.y, kWide), z = clamped(own.z, kHigh);
  float3 force = make_float3(0, 0, -kGravity);
#pragma unroll 1
  for (int row = 0; row < 9; ++row) {
    const int there_y = y + row % 3 - 1, there_z = z + row / 3 - 1;
    if (there_y < 0 || there_z < 0 || there_y >= kWide || there_z >= kHigh) continue;
    const int2* ranges_of_row = ranges + (there_z * kWide + there_y) * kWide;
#pragma unroll 1
    for (int there_x = max(x - 1, 0); there_x <= min(x + 1, kWide - 1); ++there_x) {
      const int2 range = ranges_of_row[there_x];
      for (int j = range.x; j < range.y; ++j) {
        const float4 other = grains.place(j);
        const float3 apart = make_float3(own.x - other.x, own.y - other.y, own.z - other.z);
        const float square = apart.x * apart.x + apart.y * apart.y + apart.z * apart.z;
        const float reach = own.w + other.w;
        if (square >= reach * reach || square < 1e-8F) continue;
        const float4 passing = grains.speed(j);
        const float inverse = rsqrtf(square), overlap = reach - square * inverse;
        const float closing = ((passing.x - moving.x) * apart.x + (passing.y - moving.y) * apart.y +
                               (passing.z - moving.z) * apart.z) *
                              inverse;
        const float push = fmaxf(kStiff * overlap + kDamping * closing, 0) * inverse;
        force.x += push * apart.x;
        force.y += push * apart.y;
        force.z += push * apart.z;
      }
    }
  }
  pushed[order[i]] = make_float4(moving.x + kStep * force.x, moving.y + kStep * force.y,
                                 moving.z + kStep * force.z, moving.w);
}

__device__ void keep_inside(float& place, float& speed, float far) {
  if (place < 0.5F) speed += kStep * kStiff * (0.5F - place);
  if (place > far - 0.5F) speed -= kStep * kStiff * (place - far + 0.5F);
  speed = fminf(fmaxf(speed, -kFastest), kFastest);
  place = fminf(fmaxf(place + kStep * speed, 0), far);
}

__global__ void __launch_bounds__(kThreads)
    move(float4* __restrict__ places, float4* __restrict__ speeds, const float4* __restrict__ pushed) {
  const auto i = blockIdx.x * kThreads + threadIdx.x;
  float4 place = places[i], speed = pushed[i];
  keep_inside(place.x, speed.x, kWide);
  keep_inside(place.y, speed.y, kWide);
  const float across = place.x - kWide / 2, along = place.y - kWide / 2;
  if (place.z < 0.5F && across * across + along * along < kOutlet * kOutlet) {
    place.z -= kStep * kFastest / 2;
    if (place.z < 0) {
      place.z = kHigh - 0.5F;
      speed = make_float4(0, 0, 0, speed.w);
    }
  } else {
    keep_inside(place.z, speed.z, kHigh);
  }
  places[i] = place;
  speeds[i] = speed;
}

// Heights and speeds of coloured grains, over all steps.
__global__ void __launch_bounds__(kThreads)
    follow_tracers(float* __restrict__ gauges, const float4* __restrict__ places,
                   const float4* __restrict__ speeds) {
  __shared__ float warps[kThreads / 32];
  const auto i = blockIdx.x * kThreads + threadIdx.x;
  const float4 speed = speeds[i];
  float sum = 1e-3F * (places[i].z + sqrtf(speed.x * speed.x + speed.y * speed.y + speed.z * speed.z));
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(kMask, sum, far);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int warp = 1; warp < kThreads / 32; ++warp) sum += warps[warp];
  gauges[blockIdx.x] += sum;
}

// Grains of many deliveries: which is where has nothing to do with their numbers.
__global__ void __launch_bounds__(kThreads) pour(float4* places, float4* speeds) {
  const auto i = static_cast<unsigned>(blockIdx.x * kThreads + threadIdx.x);
  unsigned site = i;
  for (unsigned odd : {0x2c1b3c6dU, 0x297a2d39U, 0x1b56c4e9U}) {
    site = site * odd & (kGrains - 1);
    site ^= site >> 11;
  }
  const unsigned x = site % kWide, y = site / kWide % kWide, z = site / (kWide * kWide);
  const auto shaken = [&](unsigned at, unsigned seed) {
    return static_cast<float>(at) + 0.4F + 0.2F * mixed_fraction(3 * i + seed);
  };
  places[i] = make_float4(shaken(x, 0), shaken(y, 1), shaken(z, 2), 0.4F + 0.1F * mixed_fraction(i + 99));
  speeds[i] = make_float4(0, 0, 0, 0);
}

void push_by_order(Silo& silo, const unsigned* order) {
  collide<<<kBlocks, kThreads>>>(silo.pushed, ByOrder{silo.places, silo.speeds, order}, order,  // fault
                                 silo.ranges);
}

void push_arranged(Silo& silo, const unsigned* order) {
  arrange<<<kBlocks, kThreads>>>(silo.sorted_places, silo.sorted_speeds, silo.places, silo.speeds, order);
  collide<<<kBlocks, kThreads>>>(silo.pushed, Arranged{silo.sorted_places, silo.sorted_speeds}, order,
                                 silo.ranges);
}

template <class Push>
void step(Silo& silo, Push push) {
  find_cells<<<kBlocks, kThreads>>>(silo.cells[0], silo.order[0], silo.places);
  cub::DoubleBuffer<unsigned> cells(silo.cells[0], silo.cells[1]), order(silo.order[0], silo.order[1]);
  CHECK(
      cub::DeviceRadixSort::SortPairs(silo.scratch, silo.scratch_bytes, cells, order, kGrains, 0, kCellBits));
  CHECK(cudaMemsetAsync(silo.ranges, 0, kCells * sizeof(int2)));
  find_ranges<<<kBlocks, kThreads>>>(silo.ranges, cells.Current());
  push(silo, order.Current());
  move<<<kBlocks, kThreads>>>(silo.places, silo.speeds, silo.pushed);
  follow_tracers<<<kTracers / kThreads, kThreads>>>(silo.gauges, silo.places, silo.speeds);
}

template <class Push>
Case make(Push push) {
  const auto silo = std::make_shared<Silo>();
  for (float4** grains :
       {&silo->places, &silo->speeds, &silo->pushed, &silo->sorted_places, &silo->sorted_speeds})
    *grains = device_array<float4>(kGrains);
  for (int i = 0; i < 2; ++i) {
    silo->cells[i] = device_array<unsigned>(kGrains);
    silo->order[i] = device_array<unsigned>(kGrains);
  }
  silo->ranges = device_array<int2>(kCells);
  pour<<<kBlocks, kThreads>>>(silo->places, silo->speeds);
  cub::DoubleBuffer<unsigned> cells(silo->cells[0], silo->cells[1]), order(silo->order[0], silo->order[1]);
  CHECK(cub::DeviceRadixSort::SortPairs(nullptr, silo->scratch_bytes, cells, order, kGrains, 0, kCellBits));
  silo->scratch = device_array<char>(silo->scratch_bytes);
  silo->gauges = device_array<float>(kTracers / kThreads);
  CHECK(cudaMemset(silo->gauges, 0, kTracers / kThreads * sizeof(float)));
  return {[=] { step(*silo, push); }, [=] { return device_sum(silo->gauges, kTracers / kThreads); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(push_by_order); }, [] { return make(push_arranged); });
}
