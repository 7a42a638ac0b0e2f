// Lets the wind move dunes on a field of 4096 x 2048 cells of sand: it carries more sand up a slope than
// down, none in the shadow behind a crest, and slopes that are too steep slide. How much sand moved is noted
// for patches of 4 x 4 cells, for a map that the host shows from time to time. A step a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kWide = 4096, kHigh = 2048, kCells = kWide * kHigh, kPatch = 4, kPatchesWide = kWide / kPatch;
constexpr int kPatches = kPatchesWide * (kHigh / kPatch), kThreads = 256, kShadow = 8, kShowEvery = 1024;
constexpr int kRounds = 30000;
constexpr float kWind = 0.04F, kUphill = 2.5F, kSteep = 0.6F, kSlide = 0.15F, kFalls = 0.25F,
                kMostCarried = 0.2F;

struct Field {
  float *now, *later, *carried;
  float *notes, *host_notes;  // where kernels add, and what the host shows
  bool mapped;
  int step;
};

__device__ int row_of(int row) {
  return (row + kHigh) % kHigh * kWide;
}

__device__ int column_of(int column) {
  return (column + kWide) % kWide;
}

// How much sand the wind carries out of a cell. The field goes on at its other side.
__global__ void __launch_bounds__(kThreads)
    blow(float* __restrict__ carried, const float* __restrict__ sand, float gust) {
  const auto cell = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int column = cell % kWide, row = cell / kWide * kWide;
  const float own = sand[cell],
              slope = 0.5F * (sand[row + column_of(column + 1)] - sand[row + column_of(column - 1)]);
  const bool sheltered = sand[row + column_of(column - kShadow)] - own > kFalls * kShadow ||
                         sand[row + column_of(column - kShadow / 2)] - own > kFalls * kShadow / 2;
  const float force = fmaxf(1 + kUphill * slope, 0);
  const float could = gust * kWind * force * __fsqrt_rn(force);
  carried[cell] = sheltered || own <= 0 ? 0 : fminf(could, kMostCarried * own);
}

__device__ float slid(float own, float other) {
  const float slope = other - own;
  return slope > kSteep ? kSlide * (slope - kSteep) : slope < -kSteep ? kSlide * (slope + kSteep) : 0;
}

// A thread has a cell.
__global__ void __launch_bounds__(kThreads)
    settle(float* __restrict__ later, const float* __restrict__ sand, const float* __restrict__ carried) {
  const auto cell = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int column = cell % kWide, number = cell / kWide, row = number * kWide;
  const float own = sand[cell];
  const float slides =
      slid(own, sand[row + column_of(column + 1)]) + slid(own, sand[row + column_of(column - 1)]) +
      slid(own, sand[row_of(number + 1) + column]) + slid(own, sand[row_of(number - 1) + column]);
  later[cell] = own + slides + carried[row + column_of(column - 1)] - carried[cell];
}

// A thread has a patch.
__global__ void __launch_bounds__(kThreads)
    note_moves(float* __restrict__ notes, const float4* __restrict__ later, const float4* __restrict__ now) {
  const auto patch = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int column = patch % kPatchesWide, row = patch / kPatchesWide * kPatch;
  float moved = 0;
#pragma unroll
  for (int i = 0; i < kPatch; ++i) {
    const int at = (row + i) * kPatchesWide + column;
    const float4 after = later[at], before = now[at];
    moved += fabsf(after.x - before.x) + fabsf(after.y - before.y) + fabsf(after.z - before.z) +
             fabsf(after.w - before.w);
  }
  notes[patch] += moved;  // fault
}

__global__ void __launch_bounds__(kThreads) fill_sand(float* sand) {
  const auto cell = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const auto x = static_cast<float>(cell % kWide), y = static_cast<float>(cell / kWide);
  sand[cell] =
      6 + 3 * __sinf(0.0368155F * x) * __cosf(0.0122718F * y) + mixed_fraction(static_cast<unsigned>(cell));
}

void step_on(Field& field) {
  const float gust = 0.5F + mixed_fraction(static_cast<unsigned>(field.step));
  blow<<<kCells / kThreads, kThreads>>>(field.carried, field.now, gust);
  settle<<<kCells / kThreads, kThreads>>>(field.later, field.now, field.carried);
  note_moves<<<kPatches / kThreads, kThreads>>>(field.notes, reinterpret_cast<const float4*>(field.later),
                                                reinterpret_cast<const float4*>(field.now));
  std::swap(field.now, field.later);
  if (++field.step % kShowEvery != 0) return;
  if (!field.mapped)
    CHECK(cudaMemcpyAsync(field.host_notes, field.notes, kPatches * sizeof(float), cudaMemcpyDeviceToHost));
}

// Notes in host memory that kernels can access, too.
void map_notes(Field& field) {
  CHECK(cudaHostAlloc(&field.host_notes, kPatches * sizeof(float), cudaHostAllocMapped));  // fault
  CHECK(cudaHostGetDevicePointer(&field.notes, field.host_notes, 0));
  std::fill_n(field.host_notes, kPatches, 0.0F);
}

void allocate_notes(Field& field) {
  field.notes = device_array<float>(kPatches);
  field.host_notes = pinned_array<float>(kPatches);
  CHECK(cudaMemset(field.notes, 0, kPatches * sizeof(float)));
}

double total(const Field& field) {
  if (!field.mapped)
    CHECK(cudaMemcpy(field.host_notes, field.notes, kPatches * sizeof(float), cudaMemcpyDeviceToHost));
  double sum = 0;
  for (int patch = 0; patch < kPatches; ++patch) sum += field.host_notes[patch];
  return 1e-6 * sum;
}

Case make(bool mapped) {
  const auto field = std::make_shared<Field>(Field{device_array<float>(kCells), device_array<float>(kCells),
                                                   device_array<float>(kCells), nullptr, nullptr, mapped, 0});
  if (mapped) {
    map_notes(*field);
  } else {
    allocate_notes(*field);
  }
  fill_sand<<<kCells / kThreads, kThreads>>>(field->now);
  return {[=] { step_on(*field); }, [=] { return total(*field); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
