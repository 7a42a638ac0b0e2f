// Reads 96 columns of a table, 262,144 rows at a time: a column comes as numbers of 8 bits and a mask of the
// rows that are present. Columns are cleared, what is present is decoded to floats, and sums and counts of
// each column are kept.
// At fault: the values and the mask of each column are cleared by a call each, 192 calls in a round, so the
// GPU waits for the host. The pattern is that of NVIDIA/cudf, issue 15773 and pull request 16281: a kernel
// clears all buffers from a list.
#include <memory>
#include <vector>

#include "../case.cuh"

namespace {

constexpr int kColumns = 96, kRows = 262144, kWords = kRows / 32, kFours = kRows / 4, kThreads = 256;
constexpr int kFillBlocks = 16, kSumBlocks = 16, kWarps = kThreads / 32, kPages = 4, kRounds = 12000;
constexpr std::size_t kCodes = std::size_t{kColumns} * kFours;

// A code has four rows, and four bits of a mask do.
struct Column {
  float* values;
  unsigned* mask;
  float base, step;
};

struct Page {
  unsigned *codes, *masks;
};

// Of the rows that are present. A column has its own line.
struct alignas(32) Sums {
  double sum, squares;
  unsigned long long count;
};

__device__ void clear(uint4* words, int count) {
  const int begin = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  for (int i = begin; i < count; i += kFillBlocks * kThreads) words[i] = make_uint4(0, 0, 0, 0);
}

// 16 blocks have a column.
__global__ void __launch_bounds__(kThreads) clear_all(const Column* __restrict__ columns) {
  const Column column = columns[blockIdx.y];
  clear(reinterpret_cast<uint4*>(column.values), kRows / 4);
  clear(reinterpret_cast<uint4*>(column.mask), kWords / 4);
}

__device__ float decoded(const Column& column, unsigned code, int row) {
  return column.base + column.step * static_cast<float>(code >> 8 * row & 0xffU);
}

// A thread has four rows, which are present or absent together.
__global__ void __launch_bounds__(kThreads) decode(const Column* __restrict__ columns, Page page) {
  const Column column = columns[blockIdx.y];
  const int four = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const unsigned word = page.masks[blockIdx.y * kWords + four / 8];
  if ((word >> four % 8 * 4 & 1U) == 0) return;
  const unsigned code = page.codes[blockIdx.y * kFours + four];
  reinterpret_cast<float4*>(column.values)[four] = make_float4(
      decoded(column, code, 0), decoded(column, code, 1), decoded(column, code, 2), decoded(column, code, 3));
  // The first one present writes the word of all.
  if (__ffs(static_cast<int>(word)) - 1 == four % 8 * 4) column.mask[four / 8] = word;
}

__device__ double added_in_warp(double value) {
#pragma unroll
  for (int far = 16; far > 0; far /= 2) value += __shfl_xor_sync(0xffffffffU, value, far);
  return value;
}

// 16 blocks have a column.
__global__ void __launch_bounds__(kThreads) sum_columns(Sums* sums, const Column* __restrict__ columns) {
  __shared__ double parts[3][kWarps];
  const Column column = columns[blockIdx.y];
  const int begin = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  double sum = 0, squares = 0, count = 0;
#pragma unroll 4
  for (int four = begin; four < kFours; four += kSumBlocks * kThreads) {
    const float4 value = reinterpret_cast<const float4*>(column.values)[four];
    const unsigned present = column.mask[four / 8] >> four % 8 * 4 & 0xfU;
    sum += static_cast<double>(value.x + value.y + value.z + value.w);
    squares +=
        static_cast<double>(value.x * value.x + value.y * value.y + value.z * value.z + value.w * value.w);
    count += __popc(present);
  }
  const double own[3] = {added_in_warp(sum), added_in_warp(squares), added_in_warp(count)};
  if (threadIdx.x % 32 == 0)
    for (int kind = 0; kind < 3; ++kind) parts[kind][threadIdx.x / 32] = own[kind];
  __syncthreads();
  if (threadIdx.x != 0) return;
  double all[3] = {};
  for (int kind = 0; kind < 3; ++kind)
    for (int warp = 0; warp < kWarps; ++warp) all[kind] += parts[kind][warp];
  atomicAdd(&sums[blockIdx.y].sum, all[0]);
  atomicAdd(&sums[blockIdx.y].squares, all[1]);
  atomicAdd(&sums[blockIdx.y].count, static_cast<unsigned long long>(all[2]));
}

// Seven of eight fours are present.
__global__ void __launch_bounds__(kThreads) make_page(Page page, unsigned number) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  page.codes[i] = mixed_bits(i + (number << 26));
  if (i % 8 != 0) return;
  unsigned word = 0;
  for (unsigned four = 0; four < 8; ++four)
    if (mixed_bits(i + four + (number << 26) + 0x40000000U) % 8 != 0) word |= 0xfU << 4 * four;
  page.masks[i / 8] = word;
}

std::vector<Column> made_columns() {
  std::vector<Column> columns;
  for (int number = 0; number < kColumns; ++number)
    columns.push_back({device_array<float>(kRows), device_array<unsigned>(kWords),
                       0.01F * static_cast<float>(number), 0.001F * static_cast<float>(1 + number % 5)});
  return columns;
}

Page made_page(unsigned number) {
  const Page page{device_array<unsigned>(kCodes), device_array<unsigned>(std::size_t{kColumns} * kWords)};
  make_page<<<kCodes / kThreads, kThreads>>>(page, number);
  CHECK(cudaGetLastError());
  return page;
}

void clear_in_turn(const std::vector<Column>& columns) {
  for (const Column& column : columns) {
    CHECK(cudaMemsetAsync(column.values, 0, kRows * sizeof(float)));    // fault
    CHECK(cudaMemsetAsync(column.mask, 0, kWords * sizeof(unsigned)));  // fault
  }
}

Case make(bool in_turn) {
  const std::vector<Column> columns = made_columns();
  auto* list = device_array<Column>(kColumns);
  CHECK(cudaMemcpy(list, columns.data(), kColumns * sizeof(Column), cudaMemcpyHostToDevice));
  std::vector<Page> pages;
  for (unsigned number = 0; number < kPages; ++number) pages.push_back(made_page(number));
  auto* sums = device_array<Sums>(kColumns);
  CHECK(cudaMemset(sums, 0, kColumns * sizeof(Sums)));
  auto round = std::make_shared<int>(0);
  return {[=] {
            if (in_turn) {
              clear_in_turn(columns);  // fault
            } else {
              clear_all<<<dim3(kFillBlocks, kColumns), kThreads>>>(list);
            }
            decode<<<dim3(kFours / kThreads, kColumns), kThreads>>>(list, pages[(*round)++ % kPages]);
            sum_columns<<<dim3(kSumBlocks, kColumns), kThreads>>>(sums, list);
          },
          [=] {
            std::vector<Sums> all(kColumns);
            CHECK(cudaMemcpy(all.data(), sums, kColumns * sizeof(Sums), cudaMemcpyDeviceToHost));
            double total = 0;
            for (const Sums& one : all) total += one.sum + one.squares + static_cast<double>(one.count);
            return total;
          },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
