// Payments by card are judged: what is known of each becomes 32 features by columns, a forest of boosted
// trees adds up its votes, and payments that look like fraud are counted by the region of the shop. Five
// batches a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kRows = 1 << 20, kFeatures = 32, kTrees = 256, kDepth = 6, kThreads = 256, kBatches = 2;
constexpr int kLeaves = 1 << kDepth, kTreesAtOnce = 16, kRegions = 32;
constexpr int kBatchesOfRound = 5, kRounds = 520, kStripes = 264, kWarps = kThreads / 32;
constexpr unsigned kMask = 0xffffffffU;
constexpr float kRate = 0.05F, kLimit = 0.7F;

// A node's feature is in the lowest bits of its threshold, which loses nothing that counts.
using Node = unsigned;

struct Batch {
  float4* payments;  // amount, hour, distance to the last shop, hours since the last payment
  float4* habits;    // of the card: mean amount, its spread, usual hour, payments a day
  int* regions;
};

struct Bank {
  Batch batches[kBatches];
  float* risks;
  Node* nodes;
  float* leaves;
  float2 *parts, *report;  // of regions: refused payments and their risk
  int batch = 0;
};

__device__ float squashed(float value) {
  return __fdividef(value, 1 + fabsf(value));
}

// Thirty-two numbers from what is known of a payment: each of eight with four bends.
__device__ void bend_known(float (&own)[kFeatures][kThreads], int thread, float4 payment, float4 habit,
                           float season) {
  const float late = __cosf(0.2617994F * (payment.y - habit.z));
  const float known[8] = {(payment.x * season - habit.x) / habit.y,
                          late,
                          2 * payment.z - 1,
                          2 * payment.w * habit.w - 1,
                          payment.x - payment.z,
                          season * payment.z * (1 - payment.w),
                          habit.x - 0.5F,
                          habit.w - payment.w * late};
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const float value = squashed(known[k]);
    own[4 * k][thread] = value;
    own[4 * k + 1][thread] = value * value - 0.25F;
    own[4 * k + 2][thread] = value * squashed(known[(k + 1) % 8]);
    own[4 * k + 3][thread] = squashed(2 * (value - squashed(known[(k + 3) % 8])));
  }
}

// A block has 256 payments, whose features stay in shared memory, column by column; trees come by sixteen.
__global__ void __launch_bounds__(kThreads)
    ask_forest(float* __restrict__ risks, const float4* __restrict__ payments,
               const float4* __restrict__ habits, const uint4* __restrict__ nodes,
               const float4* __restrict__ leaves, float season) {
  __shared__ float own[kFeatures][kThreads];
  __shared__ uint4 some_nodes[kTreesAtOnce * kLeaves / 4];
  __shared__ float4 some_leaves[kTreesAtOnce * kLeaves / 4];
  const auto thread = static_cast<int>(threadIdx.x);
  const int row = static_cast<int>(blockIdx.x) * kThreads + thread;
  bend_known(own, thread, payments[row], habits[row], season);
  const auto* tree = reinterpret_cast<const Node*>(some_nodes);
  const auto* leaf = reinterpret_cast<const float*>(some_leaves);
  float votes = 0;
  for (int first = 0; first < kTrees; first += kTreesAtOnce) {
    __syncthreads();
    some_nodes[thread] = nodes[first * kLeaves / 4 + thread];
    some_leaves[thread] = leaves[first * kLeaves / 4 + thread];
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < kTreesAtOnce; ++k) {
      int at = 1;
#pragma unroll
      for (int depth = 0; depth < kDepth; ++depth) {
        const Node node = tree[k * kLeaves + at];
        at = 2 * at + (own[node % kFeatures][thread] > __uint_as_float(node));
      }
      votes += leaf[k * kLeaves + at - kLeaves];
    }
  }
  risks[row] = __fdividef(1, 1 + __expf(-kRate * votes));
}

// Stripes of payments; a thread's lane is a region when all regions of a warp's payments have been asked for.
__global__ void __launch_bounds__(kThreads)
    count_refused(float2* __restrict__ parts, const float* __restrict__ risks,
                  const int* __restrict__ regions) {
  __shared__ float2 warps[kWarps][kRegions];
  const auto thread = static_cast<int>(threadIdx.x), block = static_cast<int>(blockIdx.x);
  const int lane = thread % 32, warp = thread / 32;
  warps[warp][lane] = make_float2(0, 0);
  __syncwarp();
  for (int i = block * kThreads + thread; i < kRows; i += kStripes * kThreads) {
    const float risk = risks[i];
    const int region = regions[i];
    unsigned refused = __ballot_sync(kMask, risk > kLimit);
    while (refused != 0) {
      const int next = __ffs(static_cast<int>(refused)) - 1;
      const int where = __shfl_sync(kMask, region, next);
      const float how = __shfl_sync(kMask, risk, next);
      if (lane == where) {
        warps[warp][lane].x += 1;
        warps[warp][lane].y += how;
      }
      refused &= refused - 1;
    }
  }
  __syncthreads();
  if (thread >= kRegions) return;
  float2 sum = make_float2(0, 0);
#pragma unroll
  for (int k = 0; k < kWarps; ++k) sum = make_float2(sum.x + warps[k][thread].x, sum.y + warps[k][thread].y);
  parts[block * kRegions + thread] = sum;
}

// A block has a region.
__global__ void __launch_bounds__(kThreads)
    write_report(float2* __restrict__ report, const float2* __restrict__ parts) {
  __shared__ float2 warps[kWarps];
  const auto thread = static_cast<int>(threadIdx.x), region = static_cast<int>(blockIdx.x);
  float2 sum = make_float2(0, 0);
  for (int i = thread; i < kStripes; i += kThreads) {
    const float2 part = parts[i * kRegions + region];
    sum = make_float2(sum.x + part.x, sum.y + part.y);
  }
  for (int far = 16; far > 0; far /= 2)
    sum = make_float2(sum.x + __shfl_xor_sync(kMask, sum.x, far), sum.y + __shfl_xor_sync(kMask, sum.y, far));
  if (thread % 32 == 0) warps[thread / 32] = sum;
  __syncthreads();
  if (thread != 0) return;
  for (int warp = 1; warp < kWarps; ++warp) sum = make_float2(sum.x + warps[warp].x, sum.y + warps[warp].y);
  const float2 old = report[region];
  report[region] = make_float2(0.9F * old.x + 0.1F * sum.x, 0.9F * old.y + 0.1F * sum.y);
}

__global__ void __launch_bounds__(kThreads) pay(Batch batch, unsigned seed) {
  const auto i = static_cast<unsigned>(blockIdx.x * kThreads + threadIdx.x);
  const auto random = [=](unsigned k) { return mixed_fraction(i * 9 + k + seed); };
  batch.payments[i] = make_float4(random(0) * random(1), 24 * random(2), random(3), random(4));
  batch.habits[i] =
      make_float4(0.1F + 0.6F * random(5), 0.1F + 0.3F * random(6), 8 + 12 * random(7), random(8));
  batch.regions[i] = static_cast<int>(mixed_bits(i + seed + 77) % kRegions);
}

// Number 0 of a tree is not used: the root is number 1, and node n has the nodes 2 n and 2 n + 1 below it.
__global__ void __launch_bounds__(kThreads) grow_forest(Node* nodes, float* leaves) {
  const auto i = static_cast<unsigned>(blockIdx.x * kThreads + threadIdx.x);
  const float threshold = 0.6F * mixed_fraction(i) - 0.3F;
  nodes[i] = (__float_as_uint(threshold) & ~(kFeatures - 1U)) | mixed_bits(i + 31337) % kFeatures;
  leaves[i] = 2 * mixed_fraction(i + 4242) - 1;
}

void judge_batch(Bank& bank) {
  const int number = bank.batch++;
  const Batch& batch = bank.batches[number % kBatches];
  const float season = 1 + 0.3F * std::sin(0.02F * static_cast<float>(number));
  ask_forest<<<kRows / kThreads, kThreads>>>(bank.risks, batch.payments, batch.habits,
                                             reinterpret_cast<const uint4*>(bank.nodes),
                                             reinterpret_cast<const float4*>(bank.leaves), season);
  count_refused<<<kStripes, kThreads>>>(bank.parts, bank.risks, batch.regions);
  write_report<<<kRegions, kThreads>>>(bank.report, bank.parts);
}

Case make() {
  const auto bank = std::make_shared<Bank>();
  for (unsigned number = 0; number < kBatches; ++number) {
    bank->batches[number] = {device_array<float4>(kRows), device_array<float4>(kRows),
                             device_array<int>(kRows)};
    pay<<<kRows / kThreads, kThreads>>>(bank->batches[number], number * 20000003U);
  }
  bank->risks = device_array<float>(kRows);
  bank->nodes = device_array<Node>(kTrees * kLeaves);
  bank->leaves = device_array<float>(kTrees * kLeaves);
  grow_forest<<<kTrees * kLeaves / kThreads, kThreads>>>(bank->nodes, bank->leaves);
  bank->parts = device_array<float2>(kStripes * kRegions);
  bank->report = device_array<float2>(kRegions);
  CHECK(cudaMemset(bank->report, 0, kRegions * sizeof(float2)));
  const auto round = [=] {
    for (int i = 0; i < kBatchesOfRound; ++i) judge_batch(*bank);
  };
  const auto sum = [=] {
    return device_sum(reinterpret_cast<const float*>(bank->report), 2 * kRegions) +
           device_sum(bank->risks, kRows) * 1e-2;
  };
  return {round, sum, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
