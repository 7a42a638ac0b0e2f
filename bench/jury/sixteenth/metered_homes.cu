// Adds up what the meters of 524,288 homes tell: a row of a table has a home's 672 quarters of an hour in a
// week, and for each quarter the use of all homes is wanted, and the use above 2 kW. A week a round.
// At fault: a block has a column, so the lanes of a warp read rows that are 2688 bytes apart, and of each
// 32 bytes a lane uses 4. The pattern is that of karpathy/llm.c, pull request 221: lanes side by side have
// columns side by side.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kHomes = 1 << 19, kQuarters = 7 * 24 * 4, kWeeks = 4, kThreads = 256, kWarps = kThreads / 32;
constexpr int kSlabs = 396, kFill = 256, kRounds = 2600;
constexpr unsigned kMask = 0xffffffffU;
constexpr float kBound = 2;

// Use is the `x`, and what is above the bound is the `y`.
__device__ void add_use(float2& sums, float use) {
  sums.x += use;
  sums.y += fmaxf(use - kBound, 0);
}

__global__ void __launch_bounds__(kThreads)
    sum_columns(double2* __restrict__ sums, const float* __restrict__ uses) {
  __shared__ float2 parts[kWarps];
  const int thread = static_cast<int>(threadIdx.x), quarter = static_cast<int>(blockIdx.x);
  float2 own = make_float2(0, 0);
#pragma unroll 8
  for (int home = thread; home < kHomes; home += kThreads)
    add_use(own, uses[static_cast<std::size_t>(home) * kQuarters + quarter]);  // fault
  for (int far = 16; far > 0; far /= 2) {
    own.x += __shfl_xor_sync(kMask, own.x, far);
    own.y += __shfl_xor_sync(kMask, own.y, far);
  }
  if (thread % 32 == 0) parts[thread / 32] = own;
  __syncthreads();
  if (thread > 0) return;
  double2 all = sums[quarter];
  for (const float2 part : parts) {
    all.x += part.x;
    all.y += part.y;
  }
  sums[quarter] = all;
}

// A thread has a column, and a block has one home of `kSlabs`; 396 atomics a sum at the end.
__global__ void __launch_bounds__(kQuarters, 3)
    sum_slabs(double2* __restrict__ sums, const float* __restrict__ uses) {
  const int quarter = static_cast<int>(threadIdx.x);
  float2 own = make_float2(0, 0);
#pragma unroll 8
  for (int home = static_cast<int>(blockIdx.x); home < kHomes; home += kSlabs)
    add_use(own, uses[static_cast<std::size_t>(home) * kQuarters + quarter]);
  atomicAdd(&sums[quarter].x, static_cast<double>(own.x));
  atomicAdd(&sums[quarter].y, static_cast<double>(own.y));
}

// Each home has an hour of its own at which it uses most.
__global__ void __launch_bounds__(kFill) measure(float* uses, unsigned week) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kFill + threadIdx.x;
  const auto home = static_cast<unsigned>(i / kQuarters), quarter = static_cast<unsigned>(i % kQuarters);
  const float day = static_cast<float>(quarter % 96) / 96 + 0.3F * mixed_fraction(home);
  const float noise = mixed_fraction(static_cast<unsigned>(i) + week * 0x9e3779b9U);
  uses[i] = (1 + sinpif(2 * day)) * (0.2F + 2 * noise * noise);
}

Case make(bool by_columns) {
  constexpr std::size_t kTable = std::size_t{kHomes} * kQuarters;
  auto* weeks = device_array<float>(kWeeks * kTable);
  for (unsigned week = 0; week < kWeeks; ++week)
    measure<<<blocks_for(kTable, kFill), kFill>>>(weeks + week * kTable, week);
  CHECK(cudaGetLastError());
  auto* sums = device_array<double2>(kQuarters);
  CHECK(cudaMemset(sums, 0, kQuarters * sizeof(double2)));
  auto round = std::make_shared<std::size_t>(0);
  return {[=] {
            const float* uses = weeks + (*round)++ % kWeeks * kTable;
            if (by_columns)
              sum_columns<<<kQuarters, kThreads>>>(sums, uses);  // fault
            else
              sum_slabs<<<kSlabs, kQuarters>>>(sums, uses);
          },
          [=] { return device_sum(reinterpret_cast<const double*>(sums), 2 * kQuarters); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
