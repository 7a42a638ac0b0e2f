// The endowment of a college: scenarios of interest, shares and prices by the Monte Carlo method, how often
// its money falls short of what was promised in each year, and how bad the worst twentieth of all ends is.
// Two policies a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kScenarios = 1 << 20, kYears = 40, kMonths = 12, kThreads = 256,
              kBlocks = kScenarios / kThreads;
constexpr int kBins = 256, kStripes = 64, kPoliciesOfRound = 2, kRounds = 420, kWarps = kThreads / 32;
constexpr unsigned kMask = 0xffffffffU;
constexpr float kMonth = 1.0F / kMonths, kRootMonth = 0.28867513F, kWidest = 4;

struct Policy {
  float shares;  // what part of the money is in shares
  float gifts;   // of a year, for a promise of 1
  float spent;   // of a year
  unsigned seed;
};

struct Fund {
  float* ends;            // how much of the promises is covered
  unsigned* short_years;  // of a block, year by year
  unsigned* stripes;
  float* report;  // years, then mean, worst twentieth
  float* parts;
  int policy = 0;
};

// Two numbers of a normal distribution, for a scenario and a month.
__device__ float2 normals(unsigned scenario, unsigned month, unsigned seed) {
  const unsigned one = mixed_bits(scenario * 0x9e3779b9U + month * 0x85ebca6bU + seed);
  const unsigned other = mixed_bits(one + 0x632be5abU);
  const float far = sqrtf(-2 * __logf((static_cast<float>(one >> 8) + 0.5F) / static_cast<float>(1U << 24)));
  float sine, cosine;
  __sincosf(6.2831853F * static_cast<float>(other >> 8) / static_cast<float>(1U << 24), &sine, &cosine);
  return make_float2(far * cosine, far * sine);
}

struct World {
  float interest = 0.02F, prices = 0.02F, money = 1.05F, owed = 1;
};

// Interest goes back to its mean, prices follow it, shares are correlated with both.
__device__ void live_month(World& world, Policy policy, unsigned scenario, unsigned month) {
  const float2 first = normals(scenario, month, policy.seed);
  const float2 second = normals(scenario, month, policy.seed ^ 0x5bd1e995U);
  const float before = world.interest;
  world.interest += 0.15F * (0.025F - before) * kMonth + 0.008F * kRootMonth * first.x;
  world.prices += 0.3F * (0.6F * before + 0.005F - world.prices) * kMonth + 0.006F * kRootMonth * second.x;
  const float shock = -0.2F * first.x + 0.9797959F * first.y;
  const float shares = (before + 0.035F - 0.0128F) * kMonth + 0.16F * kRootMonth * shock;
  const float bonds = before * kMonth - 7 * (world.interest - before) + 0.01F * kRootMonth * second.y;
  const float grown = policy.shares * __expf(shares) + (1 - policy.shares) * __expf(bonds);
  world.money = world.money * grown + (policy.gifts - policy.spent) * world.owed * kMonth;
  world.owed *= __expf((0.5F * before + 0.4F * world.prices) * kMonth - 7 * 0.3F * (world.interest - before));
}

// A thread has a scenario; lane y % 32 of a warp keeps how often the money falls short in year y.
__global__ void __launch_bounds__(kThreads)
    live_scenarios(float* __restrict__ ends, unsigned* __restrict__ short_years, Policy policy) {
  __shared__ unsigned warps[kWarps][kYears];
  const auto thread = static_cast<int>(threadIdx.x);
  const auto scenario = static_cast<unsigned>(blockIdx.x * kThreads + threadIdx.x);
  World world;
#pragma unroll 1
  for (unsigned year = 0; year < kYears; ++year) {
#pragma unroll 2
    for (unsigned month = 0; month < kMonths; ++month)
      live_month(world, policy, scenario, year * kMonths + month);
    const int count = __popc(__ballot_sync(kMask, world.money < world.owed));
    if (thread % 32 == 0) warps[thread / 32][year] = static_cast<unsigned>(count);
  }
  ends[scenario] = world.money / world.owed;
  __syncthreads();
  if (thread >= kYears) return;
  unsigned sum = 0;
#pragma unroll
  for (int warp = 0; warp < kWarps; ++warp) sum += warps[warp][thread];
  short_years[static_cast<int>(blockIdx.x) * kYears + thread] = sum;
}

// A block has a stripe of the ends, and a thread a bin when they have been counted.
__global__ void __launch_bounds__(kThreads)
    count_ends(unsigned* __restrict__ stripes, float* __restrict__ parts, const float4* __restrict__ ends) {
  __shared__ unsigned bins[kBins];
  __shared__ float warps[kWarps];
  const auto thread = static_cast<int>(threadIdx.x), block = static_cast<int>(blockIdx.x);
  bins[thread] = 0;
  __syncthreads();
  float sum = 0;
  for (int i = block * kThreads + thread; i < kScenarios / 4; i += kStripes * kThreads) {
    const float4 four = ends[i];
    for (const float end : {four.x, four.y, four.z, four.w}) {
      sum += fminf(end, kWidest);
      atomicAdd(&bins[min(max(static_cast<int>(end * (kBins / kWidest)), 0), kBins - 1)], 1U);
    }
  }
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(kMask, sum, far);
  if (thread % 32 == 0) warps[thread / 32] = sum;
  __syncthreads();
  stripes[block * kBins + thread] = bins[thread];
  if (thread != 0) return;
  for (int warp = 1; warp < kWarps; ++warp) sum += warps[warp];
  parts[block] = sum;
}

// A block has a year.
__global__ void __launch_bounds__(kThreads)
    add_years(float* __restrict__ report, const unsigned* __restrict__ short_years) {
  __shared__ unsigned warps[kWarps];
  const auto thread = static_cast<int>(threadIdx.x), year = static_cast<int>(blockIdx.x);
  unsigned sum = 0;
#pragma unroll
  for (int part = 0; part < kBlocks / kThreads; ++part)
    sum += short_years[(part * kThreads + thread) * kYears + year];
  sum = __reduce_add_sync(kMask, sum);
  if (thread % 32 == 0) warps[thread / 32] = sum;
  __syncthreads();
  if (thread != 0) return;
  for (int warp = 1; warp < kWarps; ++warp) sum += warps[warp];
  report[year] = 0.9F * report[year] + 0.1F * static_cast<float>(sum) / kScenarios;
}

// How well the worst twentieth ends at best, and the mean of all.
__global__ void __launch_bounds__(kBins)
    close_books(float* __restrict__ report, const unsigned* __restrict__ stripes,
                const float* __restrict__ parts) {
  __shared__ unsigned below[kBins];
  const auto bin = static_cast<int>(threadIdx.x);
  unsigned count = 0;
#pragma unroll 8
  for (int stripe = 0; stripe < kStripes; ++stripe) count += stripes[stripe * kBins + bin];
  below[bin] = count;
  for (int far = 1; far < kBins; far *= 2) {
    __syncthreads();
    const unsigned other = bin >= far ? below[bin - far] : 0;
    __syncthreads();
    below[bin] += other;
  }
  constexpr unsigned kWorst = kScenarios / 20;
  const unsigned before = below[bin] - count;
  if (before <= kWorst && below[bin] > kWorst) {
    const float part = static_cast<float>(kWorst - before) / static_cast<float>(count);
    report[kYears + 1] = (static_cast<float>(bin) + part) * (kWidest / kBins);
  }
  if (bin != 0) return;
  float sum = 0;
  for (int stripe = 0; stripe < kStripes; ++stripe) sum += parts[stripe];
  report[kYears] = sum / kScenarios;
}

void try_policy(Fund& fund) {
  const int number = fund.policy++;
  const float swing = std::sin(0.1F * static_cast<float>(number));
  const Policy policy = {0.5F + 0.3F * swing, 0.045F + 0.005F * swing, 0.05F,
                         static_cast<unsigned>(number) * 2654435761U};
  live_scenarios<<<kBlocks, kThreads>>>(fund.ends, fund.short_years, policy);
  count_ends<<<kStripes, kThreads>>>(fund.stripes, fund.parts, reinterpret_cast<const float4*>(fund.ends));
  add_years<<<kYears, kThreads>>>(fund.report, fund.short_years);
  close_books<<<1, kBins>>>(fund.report, fund.stripes, fund.parts);
}

Case make() {
  const auto fund = std::make_shared<Fund>();
  fund->ends = device_array<float>(kScenarios);
  fund->short_years = device_array<unsigned>(std::size_t{kBlocks} * kYears);
  fund->stripes = device_array<unsigned>(kStripes * kBins);
  fund->parts = device_array<float>(kStripes);
  fund->report = device_array<float>(kYears + 2);
  CHECK(cudaMemset(fund->report, 0, (kYears + 2) * sizeof(float)));
  const auto round = [=] {
    for (int i = 0; i < kPoliciesOfRound; ++i) try_policy(*fund);
  };
  const auto sum = [=] { return device_sum(fund->report, kYears + 2) + device_sum(fund->ends, 4096) * 1e-3; };
  return {round, sum, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
