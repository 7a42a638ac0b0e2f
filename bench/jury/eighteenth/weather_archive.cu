// Packs hours of a weather forecast for its archive: four variables on 512 x 512 x 64 cells. A block of
// 4 x 4 x 4 cells becomes 64 bytes by sums and differences of whole numbers, the coarse ones of which get
// more bits; then it is unpacked again, and slopes are compared with those of the forecast. A variable a
// round; an hour passes after all four.
// At fault: the order of the 64 numbers of a block is looked up in a table that the compiler does not know,
// so the numbers lie in local memory; with a table that it knows they stay in registers. The pattern is that
// of llnl/zfp, pull request 65: a table known to the compiler, 1.25 times as fast, and of NVlabs/cuda-oxide,
// issue 707.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kWide = 512, kDeep = 512, kHigh = 64, kCells = kWide * kDeep * kHigh, kVariables = 4;
constexpr int kEdge = 4, kNumbers = kEdge * kEdge * kEdge, kBlocksWide = kWide / kEdge;
constexpr int kBlocksDeep = kDeep / kEdge, kBlocksHigh = kHigh / kEdge, kRounds = 20000;
constexpr int kBlocks = kBlocksWide * kBlocksDeep * kBlocksHigh, kWords = 16, kFours = kWords / 4;
constexpr int kLine = kWide / 4, kLines = kDeep * kHigh, kThreads = 256;
constexpr unsigned kMask = 0xffffffffU;

struct Order {
  int at[kNumbers];
};

// The coarse numbers of a block come first.
constexpr Order find_order() {
  constexpr int kFineness[kEdge] = {0, 1, 2, 2};
  Order order{};
  int rank = 0;
  for (int fineness = 0; fineness <= 6; ++fineness)
    for (int i = 0; i < kNumbers; ++i)
      if (kFineness[i % 4] + kFineness[i / 4 % 4] + kFineness[i / 16] == fineness) order.at[rank++] = i;
  return order;
}

__constant__ Order c_order;
__device__ constexpr Order kOrder = find_order();

template <bool kKnown>
__device__ int place_of(int rank) {
  return kKnown ? kOrder.at[rank] : c_order.at[rank];  // fault
}

// Where a number is stored, by how many bits, and how many are dropped below them.
struct Slot {
  int word, shift, width, dropped;
};

__device__ constexpr Slot slot_of(int rank) {
  if (rank == 0) return {0, 8, 24, 2};
  if (rank < 5) return {1 + (rank - 1) / 2, (rank - 1) % 2 * 16, 16, 13};
  if (rank < 49) return {3 + (rank - 5) / 4, (rank - 5) % 4 * 8, 8, 15};
  return {14 + (rank - 49) / 8, (rank - 49) % 8 * 4, 4, 17};
}

// A mean and three differences.
__device__ void split(int& a, int& b, int& c, int& d) {
  const int first = a - b, second = c - d, low = b + (first >> 1), high = d + (second >> 1);
  const int between = low - high;
  a = high + (between >> 1);
  b = between;
  c = first;
  d = second;
}

__device__ void join(int& a, int& b, int& c, int& d) {
  const int high = a - (b >> 1), low = high + b, first = c, second = d;
  d = high - (second >> 1);
  c = d + second;
  b = low - (first >> 1);
  a = b + first;
}

// Of all lines of a block; cells of a line lie `far` apart.
template <int far, class Change>
__device__ void change_lines(int (&cells)[kNumbers], Change change) {
#pragma unroll
  for (int i = 0; i < kNumbers; ++i)
    if (i / far % kEdge == 0) change(cells[i], cells[i + far], cells[i + 2 * far], cells[i + 3 * far]);
}

// The row of a block's cells, in fours.
__device__ int row_of(int row) {
  const int y = static_cast<int>(blockIdx.x) * kEdge + row % kEdge,
            z = static_cast<int>(blockIdx.y) * kEdge + row / kEdge;
  return (z * kDeep + y) * kLine + static_cast<int>(threadIdx.x);
}

__device__ int own_block() {
  return static_cast<int>((blockIdx.y * kBlocksDeep + blockIdx.x) * kBlocksWide + threadIdx.x);
}

// Two to the power of `exponent` - 127.
__device__ float power(int exponent) {
  return __int_as_float(exponent << 23);
}

template <bool kKnown>
__global__ void __launch_bounds__(kBlocksWide)
    pack(uint4* __restrict__ packed, const float4* __restrict__ field) {
  int cells[kNumbers];
  float values[kNumbers];
  float greatest = 0;
#pragma unroll
  for (int row = 0; row < kEdge * kEdge; ++row) {
    const float4 four = field[row_of(row)];
    values[4 * row] = four.x;
    values[4 * row + 1] = four.y;
    values[4 * row + 2] = four.z;
    values[4 * row + 3] = four.w;
  }
#pragma unroll
  for (const float value : values) greatest = fmaxf(greatest, fabsf(value));
  const int exponent = max(__float_as_int(greatest) >> 23, 32);
  const float scale = power(279 - exponent);
#pragma unroll
  for (int i = 0; i < kNumbers; ++i) cells[i] = __float2int_rn(values[i] * scale);
  change_lines<1>(cells, split);
  change_lines<4>(cells, split);
  change_lines<16>(cells, split);
  unsigned words[kWords]{};
  words[0] = static_cast<unsigned>(exponent);
#pragma unroll
  for (int rank = 0; rank < kNumbers; ++rank) {
    const Slot slot = slot_of(rank);
    const int limit = (1 << (slot.width - 1)) - 1;
    const int kept = min(max(cells[place_of<kKnown>(rank)] >> slot.dropped, -limit - 1), limit);  // fault
    words[slot.word] |= (static_cast<unsigned>(kept) & (2U * limit + 1)) << slot.shift;
  }
#pragma unroll
  for (int i = 0; i < kFours; ++i)
    packed[i * kBlocks + own_block()] =
        make_uint4(words[4 * i], words[4 * i + 1], words[4 * i + 2], words[4 * i + 3]);
}

template <bool kKnown>
__global__ void __launch_bounds__(kBlocksWide)
    unpack(float4* __restrict__ field, const uint4* __restrict__ packed) {
  int cells[kNumbers];
  unsigned words[kWords];
#pragma unroll
  for (int i = 0; i < kFours; ++i) {
    const uint4 four = packed[i * kBlocks + own_block()];
    words[4 * i] = four.x;
    words[4 * i + 1] = four.y;
    words[4 * i + 2] = four.z;
    words[4 * i + 3] = four.w;
  }
#pragma unroll
  for (int rank = 0; rank < kNumbers; ++rank) {
    const Slot slot = slot_of(rank);
    const int kept =
        static_cast<int>(words[slot.word] << (32 - slot.shift - slot.width)) >> (32 - slot.width);
    cells[place_of<kKnown>(rank)] = kept * (1 << slot.dropped) + (1 << slot.dropped) / 2;  // fault
  }
  change_lines<16>(cells, join);
  change_lines<4>(cells, join);
  change_lines<1>(cells, join);
  const float scale = power(static_cast<int>(words[0] & 255) - 25);
#pragma unroll
  for (int row = 0; row < kEdge * kEdge; ++row)
    field[row_of(row)] = make_float4(
        scale * static_cast<float>(cells[4 * row]), scale * static_cast<float>(cells[4 * row + 1]),
        scale * static_cast<float>(cells[4 * row + 2]), scale * static_cast<float>(cells[4 * row + 3]));
}

__device__ float square(float value) {
  return value * value;
}

// A block has a line; opposite borders meet.
__global__ void __launch_bounds__(kLine)
    compare_slopes(float* __restrict__ errors, const float4* __restrict__ field,
                   const float4* __restrict__ again) {
  __shared__ float warps[kLine / 32];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(blockIdx.x),
            z = static_cast<int>(blockIdx.y);
  const int line = z * kDeep + y, beside = line * kLine + (x + 1) % kLine;
  const int north = (z * kDeep + (y + 1) % kDeep) * kLine + x;
  const auto difference = [&](int i) {
    const float4 one = field[i], other = again[i];
    return make_float4(other.x - one.x, other.y - one.y, other.z - one.z, other.w - one.w);
  };
  const float4 own = difference(line * kLine + x), above = difference(north);
  const float right =
      reinterpret_cast<const float*>(again)[4 * beside] - reinterpret_cast<const float*>(field)[4 * beside];
  float sum = square(own.y - own.x) + square(own.z - own.y) + square(own.w - own.z) + square(right - own.w) +
              square(above.x - own.x) + square(above.y - own.y) + square(above.z - own.z) +
              square(above.w - own.w);
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(kMask, sum, far);
  if (x % 32 == 0) warps[x / 32] = sum;
  __syncthreads();
  if (x != 0) return;
  for (int i = 1; i < kLine / 32; ++i) sum += warps[i];
  errors[line] += sum;
}

// Two variables that drive each other.
__global__ void __launch_bounds__(kThreads) pass_hour(float4* one, float4* other) {
  constexpr float kTurn = 0.05F;
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  float4 a = one[i], b = other[i];
  a = make_float4(a.x + kTurn * b.x, a.y + kTurn * b.y, a.z + kTurn * b.z, a.w + kTurn * b.w);
  b = make_float4(b.x - kTurn * a.x, b.y - kTurn * a.y, b.z - kTurn * a.z, b.w - kTurn * a.w);
  one[i] = a;
  other[i] = b;
}

__global__ void __launch_bounds__(kThreads) observe(float* field, int variable) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const auto x = static_cast<float>(i % kWide), y = static_cast<float>(i / kWide % kDeep),
             z = static_cast<float>(i / kWide / kDeep), turn = static_cast<float>(variable);
  const float noise = mixed_fraction(static_cast<unsigned>(i) * kVariables + static_cast<unsigned>(variable));
  field[i] =
      10 * __sinf(0.03F * x + 0.02F * y + turn) + 6 * __cosf(0.05F * y - 0.04F * z * turn) + 0.2F * noise;
}

struct Forecast {
  float4 *fields[kVariables], *again;
  uint4* packed;
  float* errors;
  int round;
};

template <bool kKnown>
void archive(Forecast& forecast) {
  const int variable = forecast.round++ % kVariables;
  const float4* field = forecast.fields[variable];
  const dim3 blocks(kBlocksDeep, kBlocksHigh), lines(kDeep, kHigh);
  pack<kKnown><<<blocks, kBlocksWide>>>(forecast.packed, field);
  unpack<kKnown><<<blocks, kBlocksWide>>>(forecast.again, forecast.packed);
  compare_slopes<<<lines, kLine>>>(forecast.errors, field, forecast.again);
  if (variable + 1 < kVariables) return;
  for (int i = 0; i < kVariables; i += 2)
    pass_hour<<<kCells / 4 / kThreads, kThreads>>>(forecast.fields[i], forecast.fields[i + 1]);
}

template <bool kKnown>
Case make() {
  constexpr Order kFound = find_order();
  CHECK(cudaMemcpyToSymbol(c_order, &kFound, sizeof kFound));
  const auto forecast = std::make_shared<Forecast>();
  for (int i = 0; i < kVariables; ++i) {
    auto* field = device_array<float>(kCells);
    observe<<<kCells / kThreads, kThreads>>>(field, i);
    forecast->fields[i] = reinterpret_cast<float4*>(field);
  }
  forecast->again = device_array<float4>(kCells / 4);
  forecast->packed = device_array<uint4>(kFours * kBlocks);
  forecast->errors = device_array<float>(kLines);
  CHECK(cudaMemset(forecast->errors, 0, kLines * sizeof(float)));
  CHECK(cudaGetLastError());
  return {[=] { archive<kKnown>(*forecast); }, [=] { return device_sum(forecast->errors, kLines); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, make<false>, make<true>);
}
