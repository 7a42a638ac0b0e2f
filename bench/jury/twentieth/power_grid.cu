// Finds the voltages of a power grid of a million places hour by hour, as customers switch things on and off:
// each place gets what its loads draw and its lines bring, by turns for every other place, until voltages
// stay as they are. What the lines lose is added up for districts. An hour a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kWide = 1024, kHigh = 1024, kHalfWide = kWide / 2, kHalf = kHalfWide * kHigh, kThreads = 256;
constexpr int kBlocks = kHalf / kThreads, kLines = 4, kMost = 14, kSlots = 4, kRounds = 7000;
constexpr float kSettled = 2e-5F;
constexpr unsigned kMask = 0xffffffffU;

// Half of the places: those whose lines end at places of the other half. Lines are four to a place.
struct Half {
  float2* voltages;
  float2 *wanted, *loads;
  int4* ends;
  float4 *conducting, *reacting;
  float* leaking;
};

struct Complex {
  float real, imaginary;
};

__device__ Complex times(Complex a, Complex b) {
  return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
}

__device__ Complex over(Complex a, Complex b) {
  const float share = 1 / (b.real * b.real + b.imaginary * b.imaginary);
  const Complex found = times(a, {b.real, -b.imaginary});
  return {share * found.real, share * found.imaginary};
}

// What customers draw at this hour, in both halves. How far voltages move in each turn is not known yet.
__global__ void __launch_bounds__(kThreads) draw_loads(Half one, Half other, int* moved, unsigned hour) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const float2* all_wanted = blockIdx.y == 0 ? one.wanted : other.wanted;
  if (blockIdx.y == 0 && i < kMost) moved[i] = 0;
  const float day = 0.7F + 0.3F * __sinf(0.2618F * static_cast<float>(hour % 24));
  const unsigned place = 2 * static_cast<unsigned>(i) + blockIdx.y;
  const float share = day * (0.8F + 0.4F * mixed_fraction(place + hour * 0x9e3779b9U));
  const float2 wanted = all_wanted[i];
  (blockIdx.y == 0 ? one.loads : other.loads)[i] = make_float2(share * wanted.x, share * wanted.y);
}

// A turn of one half, while the other one stays. Once voltages have settled, nothing is left to do.
__global__ void __launch_bounds__(kThreads)
    balance(Half own, const float2* __restrict__ others, int* moved, int turn) {
  __shared__ float warps[kThreads / 32];
  if (turn > 1 && __int_as_float(moved[turn - 1]) < kSettled) return;
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const float2 before = own.voltages[i], load = own.loads[i];
  const int4 ends = own.ends[i];
  const float4 conducting = own.conducting[i], reacting = own.reacting[i];
  const float2 a = others[ends.x], b = others[ends.y], c = others[ends.z], d = others[ends.w];
  Complex current = over({load.x, -load.y}, {before.x, -before.y});
  current = {-current.real, -current.imaginary};
  const auto add = [&](float2 there, float conducts, float reacts) {
    const Complex brought = times({there.x, there.y}, {conducts, reacts});
    current = {current.real + brought.real, current.imaginary + brought.imaginary};
  };
  add(a, conducting.x, reacting.x);
  add(b, conducting.y, reacting.y);
  add(c, conducting.z, reacting.z);
  add(d, conducting.w, reacting.w);
  const Complex all = {conducting.x + conducting.y + conducting.z + conducting.w + own.leaking[i],
                       reacting.x + reacting.y + reacting.z + reacting.w};
  const Complex after = over({current.real + own.leaking[i], current.imaginary}, all);
  own.voltages[i] = make_float2(after.real, after.imaginary);
  float far = fmaxf(fabsf(after.real - before.x), fabsf(after.imaginary - before.y));
  for (int away = 16; away > 0; away /= 2) far = fmaxf(far, __shfl_xor_sync(kMask, far, away));
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = far;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (const float warp : warps) far = fmaxf(far, warp);
  atomicMax(moved + turn, __float_as_int(far));
}

// A block has a district. Each line has an end in either half. `lost` is over all hours.
__global__ void __launch_bounds__(kThreads)
    find_losses(double* __restrict__ lost, Half own, const float2* __restrict__ others) {
  __shared__ float warps[kThreads / 32];
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const float2 here = own.voltages[i];
  const int4 ends = own.ends[i];
  const float4 conducting = own.conducting[i];
  const auto along = [&](int end, float conducts) {
    const float2 there = others[end];
    const float x = here.x - there.x, y = here.y - there.y;
    return conducts * (x * x + y * y);
  };
  float sum = along(ends.x, conducting.x) + along(ends.y, conducting.y) + along(ends.z, conducting.z) +
              along(ends.w, conducting.w);
  for (int away = 16; away > 0; away /= 2) sum += __shfl_xor_sync(kMask, sum, away);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int k = 1; k < kThreads / 32; ++k) sum += warps[k];
  lost[blockIdx.x] += static_cast<double>(sum);
}

// Places form a net whose last row and column are joined to the first ones.
__device__ int number_of(int column, int row) {
  return (row + kHigh) % kHigh * kHalfWide + (column + kWide) % kWide / 2;
}

// A line is as thick seen from either of its ends.
__device__ unsigned line_of(int column, int row, bool along) {
  const int place = (row + kHigh) % kHigh * kWide + (column + kWide) % kWide;
  return static_cast<unsigned>(2 * place) + (along ? 1 : 0);
}

__global__ void __launch_bounds__(kThreads) build(Half own, int which) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int row = i / kHalfWide, column = i % kHalfWide * 2 + (row + which) % 2;
  own.voltages[i] = make_float2(1, 0);
  const float draws = 0.05F * mixed_fraction(static_cast<unsigned>(2 * i + which));
  own.wanted[i] = make_float2(draws, 0.3F * draws);
  own.ends[i] = make_int4(number_of(column - 1, row), number_of(column + 1, row), number_of(column, row - 1),
                          number_of(column, row + 1));
  const unsigned lines[kLines] = {line_of(column - 1, row, true), line_of(column, row, true),
                                  line_of(column, row - 1, false), line_of(column, row, false)};
  float thick[kLines];
#pragma unroll
  for (int line = 0; line < kLines; ++line) thick[line] = 0.5F + mixed_fraction(lines[line]);
  own.conducting[i] = make_float4(thick[0], thick[1], thick[2], thick[3]);
  own.reacting[i] = make_float4(-2 * thick[0], -2 * thick[1], -2 * thick[2], -2 * thick[3]);
  own.leaking[i] = 3;
}

// An hour's last word on how far voltages moved.
struct Slot {
  int* moved;
  cudaEvent_t noted;
};

struct Grid {
  Half halves[2];
  int* moved;
  double* lost;
  Slot slots[kSlots];
  cudaStream_t stream;
  int hour;
  double unsettled;
};

void take_turn(const Grid& grid, int turn) {
  const auto& [one, other] = grid.halves;
  balance<<<kBlocks, kThreads, 0, grid.stream>>>(one, other.voltages, grid.moved, turn);
  balance<<<kBlocks, kThreads, 0, grid.stream>>>(other, one.voltages, grid.moved, turn);
}

bool has_settled(const Grid& grid, const Slot& slot, int turn) {
  CHECK(cudaMemcpyAsync(slot.moved, grid.moved + turn, sizeof(int), cudaMemcpyDeviceToHost,  // fault
                        grid.stream));
  CHECK(cudaStreamSynchronize(grid.stream));  // fault
  float moved = 0;
  std::memcpy(&moved, slot.moved, sizeof(moved));
  return moved < kSettled;
}

void take_hour(Grid& grid, bool asks) {
  const auto hour = static_cast<unsigned>(grid.hour++);
  const Slot& slot = grid.slots[hour % kSlots];
  CHECK(cudaEventSynchronize(slot.noted));
  if (hour >= kSlots && slot.moved[kMost - 1] >= 0x38000000) grid.unsettled += 1;
  const auto& [one, other] = grid.halves;
  draw_loads<<<dim3(kBlocks, 2), kThreads, 0, grid.stream>>>(one, other, grid.moved, hour);
  for (int turn = 1; turn < kMost; ++turn) {
    take_turn(grid, turn);
    if (asks && has_settled(grid, slot, turn)) break;
  }
  find_losses<<<kBlocks, kThreads, 0, grid.stream>>>(grid.lost, one, other.voltages);
  CHECK(cudaMemcpyAsync(slot.moved, grid.moved, kMost * sizeof(int), cudaMemcpyDeviceToHost, grid.stream));
  CHECK(cudaEventRecord(slot.noted, grid.stream));
}

Half new_half(int which) {
  const Half half = {device_array<float2>(kHalf), device_array<float2>(kHalf), device_array<float2>(kHalf),
                     device_array<int4>(kHalf),   device_array<float4>(kHalf), device_array<float4>(kHalf),
                     device_array<float>(kHalf)};
  build<<<kBlocks, kThreads>>>(half, which);
  CHECK(cudaGetLastError());
  return half;
}

Case make(bool asks) {
  const auto grid = std::make_shared<Grid>();
  *grid = {{new_half(0), new_half(1)}, device_array<int>(kMost), device_array<double>(kBlocks), {}, {}, 0, 0};
  CHECK(cudaMemset(grid->lost, 0, kBlocks * sizeof(double)));
  for (Slot& slot : grid->slots) {
    slot.moved = pinned_array<int>(kMost);
    CHECK(cudaEventCreateWithFlags(&slot.noted, cudaEventDisableTiming));
  }
  CHECK(cudaStreamCreateWithFlags(&grid->stream, cudaStreamNonBlocking));
  return {[=] { take_hour(*grid, asks); }, [=] { return grid->unsettled + device_sum(grid->lost, kBlocks); },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
