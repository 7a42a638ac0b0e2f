// Looks for the shares of 32 assets with the least mean loss in the worst twentieth of 8,388,608 scenarios,
// by steps against a subgradient: each step needs the shares of the one before, so all scenarios are read
// once a step. Eight lanes have a scenario, 16 bytes each, and four scenarios are under way in a thread.
// Nothing is at fault. The pattern is that of NVIDIA/raft, pull request 2259: several thin rows a warp, with
// wide loads.
#include "../case.cuh"

namespace {

constexpr int kScenarios = 1 << 23, kAssets = 32, kLanes = kAssets / 4, kThreads = 256, kBlocks = 1056;
constexpr int kRowsAtOnce = kThreads / kLanes, kUnderWay = 4, kWarps = kThreads / 32, kRounds = 1800;
constexpr float kTail = 0.05F, kRate = 0.02F;

// A step changes the shares and the loss at which the tail begins.
struct Plan {
  float shares[kAssets], level;
};

// Of the scenarios in the tail.
struct Sums {
  float returns[kAssets], count;
};

__device__ float product(float4 one, float4 two) {
  return one.x * two.x + one.y * two.y + one.z * two.z + one.w * two.w;
}

__device__ void add(float4& sum, float4 one) {
  sum = make_float4(sum.x + one.x, sum.y + one.y, sum.z + one.z, sum.w + one.w);
}

// Over lanes that are `nearest`, twice as far, and so on, up to `farthest` apart.
template <int kNearest, int kFarthest>
__device__ float added(float value) {
#pragma unroll
  for (int far = kNearest; far <= kFarthest; far *= 2) value += __shfl_xor_sync(0xffffffffU, value, far);
  return value;
}

// About 1000 atomics a word.
__device__ void add_block(Sums* sums, float4 returns, float count) {
  __shared__ __align__(16) float parts[kWarps][kAssets];
  __shared__ float counts[kWarps];
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;
  returns = make_float4(added<kLanes, 16>(returns.x), added<kLanes, 16>(returns.y),
                        added<kLanes, 16>(returns.z), added<kLanes, 16>(returns.w));
  count = added<kLanes, 16>(count);
  if (lane < kLanes) reinterpret_cast<float4*>(parts[warp])[lane] = returns;
  if (lane == 0) counts[warp] = count;
  __syncthreads();
  if (warp != 0) return;
  float sum = 0, all = 0;
  for (int part = 0; part < kWarps; ++part) {
    sum += parts[part][lane];
    all += counts[part];
  }
  atomicAdd(&sums->returns[lane], sum);
  if (lane == 0) atomicAdd(&sums->count, all);
}

__global__ void __launch_bounds__(kThreads)
    sum_tail(Sums* sums, const Plan* __restrict__ plan, const float4* __restrict__ scenarios) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes, own = static_cast<int>(threadIdx.x) / kLanes;
  const float4 shares = reinterpret_cast<const float4*>(plan->shares)[lane];
  const float level = plan->level;
  float4 sum = make_float4(0, 0, 0, 0);
  float count = 0;
  constexpr int kChunk = kRowsAtOnce * kUnderWay;
  for (int first = static_cast<int>(blockIdx.x) * kChunk; first < kScenarios; first += kBlocks * kChunk) {
    float4 returns[kUnderWay];
#pragma unroll
    for (int i = 0; i < kUnderWay; ++i)
      returns[i] = scenarios[std::size_t(first + i * kRowsAtOnce + own) * kLanes + lane];
#pragma unroll
    for (int i = 0; i < kUnderWay; ++i) {
      const float loss = 0.5F - added<1, kLanes / 2>(product(shares, returns[i]));
      if (loss <= level) continue;
      add(sum, returns[i]);
      count += 1;
    }
  }
  add_block(sums, sum, count);
}

// A warp: an asset a lane.
__global__ void __launch_bounds__(kAssets) improve_plan(Plan* plan, Sums* sums) {
  const int asset = static_cast<int>(threadIdx.x);
  const float scale = 1 / (kTail * kScenarios);
  const float share = fmaxf(plan->shares[asset] + kRate * scale * sums->returns[asset], 0);
  plan->shares[asset] = share / added<1, 16>(share);
  if (asset == 0) {
    plan->level -= kRate * (1 - scale * sums->count);
    sums->count = 0;
  }
  sums->returns[asset] = 0;
}

// Assets differ in how widely their returns spread.
__global__ void __launch_bounds__(kThreads) make_scenarios(float* scenarios) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  const float wide = 0.4F + 0.018F * static_cast<float>(i % kAssets);
  scenarios[i] = 0.5F + wide * (mixed_fraction(i) - 0.5F);
}

Plan* made_plan() {
  Plan begin{};
  for (float& share : begin.shares) share = 1.0F / kAssets;
  auto* plan = device_array<Plan>(1);
  CHECK(cudaMemcpy(plan, &begin, sizeof(Plan), cudaMemcpyHostToDevice));
  return plan;
}

Case make() {
  constexpr std::size_t kValues = std::size_t{kScenarios} * kAssets;
  auto* scenarios = device_array<float>(kValues);
  make_scenarios<<<blocks_for(kValues, kThreads), kThreads>>>(scenarios);
  CHECK(cudaGetLastError());
  auto* plan = made_plan();
  auto* sums = device_array<Sums>(1);
  CHECK(cudaMemset(sums, 0, sizeof(Sums)));
  return {[=] {
            sum_tail<<<kBlocks, kThreads>>>(sums, plan, reinterpret_cast<const float4*>(scenarios));
            improve_plan<<<1, kAssets>>>(plan, sums);
          },
          [=] { return device_sum(plan->shares, kAssets + 1); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, nullptr, [] { return make(); });
}
