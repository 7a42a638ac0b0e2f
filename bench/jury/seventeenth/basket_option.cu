// Prices options on the mean of a basket of eight shares that move together: a million paths of 32 steps by
// Monte Carlo, for 16 strikes. Volatilities of the steps, paths, and the sums of the payoffs. A valuation a
// round, of a market that moves.
// Nothing is at fault. A thread keeps its path in registers, draws its random numbers from a counter, and a
// block stores one sum a strike. The pattern is that of cupy/cupy, pull request 493, and
// InfiniTensor/Learning-CUDA, pull request 67: a thread a path, numbers of Philox, moments instead of paths.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kShares = 8, kSteps = 32, kStrikes = 16, kThreads = 256, kBlocks = 132 * 8, kPathsOfThread = 4;
constexpr int kRoot = kShares * (kShares + 1) / 2, kPhiloxRounds = 10, kWarps = kThreads / 32, kRounds = 9000;
constexpr float kStep = 1.0F / kSteps, kRate = 0.03F;
constexpr unsigned kMask = 0xffffffffU;

__constant__ float c_root[kRoot];  // of the correlations, a lower triangle

// What a share does in a step.
struct Move {
  float drift, volatility;
};

using Schedule = Move[kSteps][kShares];

__global__ void __launch_bounds__(kShares* kSteps) schedule(Move* moves, int valuation) {
  const int share = static_cast<int>(threadIdx.x) % kShares, step = static_cast<int>(threadIdx.x) / kShares;
  const float mood = 0.05F * mixed_fraction(static_cast<unsigned>(valuation * kShares + share));
  const float volatility =
      0.15F + 0.02F * static_cast<float>(share) + mood + 0.1F * __expf(-0.2F * static_cast<float>(step));
  moves[threadIdx.x] = {(kRate - 0.5F * volatility * volatility) * kStep, volatility * sqrtf(kStep)};
}

// Four random words, by Philox 4x32.
__device__ uint4 random_words(uint4 counter, unsigned key) {
  unsigned other = key ^ 0xbb67ae85U;
#pragma unroll
  for (int i = 0; i < kPhiloxRounds; ++i) {
    const unsigned high = __umulhi(0xd2511f53U, counter.x), low = 0xd2511f53U * counter.x;
    const unsigned high_two = __umulhi(0xcd9e8d57U, counter.z), low_two = 0xcd9e8d57U * counter.z;
    counter = make_uint4(high_two ^ counter.y ^ key, low_two, high ^ counter.w ^ other, low);
    key += 0x9e3779b9U;
    other += 0xbb67ae85U;
  }
  return counter;
}

// Two normal numbers of two words, by Box and Muller.
__device__ float2 normals(unsigned one, unsigned other) {
  const float radius = sqrtf(-2 * __logf((static_cast<float>(one >> 8) + 0.5F) / (1U << 24)));
  float sine, cosine;
  __sincosf(6.2831853F * static_cast<float>(other >> 8) / (1U << 24), &sine, &cosine);
  return make_float2(radius * cosine, radius * sine);
}

__device__ void draw(float (&drawn)[kShares], int path, int step, unsigned key) {
#pragma unroll
  for (int i = 0; i < kShares / 4; ++i) {
    const uint4 words = random_words(
        make_uint4(static_cast<unsigned>(path), static_cast<unsigned>(step), static_cast<unsigned>(i), 0),
        key);
    const float2 low = normals(words.x, words.y), high = normals(words.z, words.w);
    drawn[4 * i] = low.x;
    drawn[4 * i + 1] = low.y;
    drawn[4 * i + 2] = high.x;
    drawn[4 * i + 3] = high.y;
  }
}

// The mean of the shares at the end of a path.
__device__ float basket_of(const Schedule& moves, int path, unsigned key) {
  float logarithms[kShares]{}, drawn[kShares];
#pragma unroll 1
  for (int step = 0; step < kSteps; ++step) {
    draw(drawn, path, step, key);
#pragma unroll
    for (int share = 0; share < kShares; ++share) {
      float together = 0;
#pragma unroll
      for (int i = 0; i <= share; ++i) together += c_root[share * (share + 1) / 2 + i] * drawn[i];
      const Move move = moves[step][share];
      logarithms[share] += move.drift + move.volatility * together;
    }
  }
  float basket = 0;
  for (const float logarithm : logarithms) basket += __expf(logarithm) / kShares;
  return basket;
}

__global__ void __launch_bounds__(kThreads)
    simulate(float* __restrict__ sums, const Move* __restrict__ moves, unsigned key) {
  __shared__ Schedule own;
  __shared__ float payoffs[kStrikes][kWarps];
  const int thread = static_cast<int>(threadIdx.x);
  own[thread / kShares][thread % kShares] = moves[thread];
  __syncthreads();
  float paid[kStrikes]{};
  for (int i = 0; i < kPathsOfThread; ++i) {
    const int path = (i * kBlocks + static_cast<int>(blockIdx.x)) * kThreads + thread;
    const float basket = basket_of(own, path, key);
#pragma unroll
    for (int k = 0; k < kStrikes; ++k) paid[k] += fmaxf(basket - (0.7F + 0.04F * static_cast<float>(k)), 0);
  }
#pragma unroll
  for (int k = 0; k < kStrikes; ++k) {
    for (int far = 16; far > 0; far /= 2) paid[k] += __shfl_xor_sync(kMask, paid[k], far);
    if (thread % 32 == 0) payoffs[k][thread / 32] = paid[k];
  }
  __syncthreads();
  if (thread >= kStrikes) return;
  float sum = 0;
  for (const float each : payoffs[thread]) sum += each;
  sums[thread * kBlocks + static_cast<int>(blockIdx.x)] = sum;
}

// A block has a strike.
__global__ void __launch_bounds__(kThreads) discount(double* prices, const float* __restrict__ sums) {
  __shared__ double warps[kWarps];
  double sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < kBlocks; i += kThreads)
    sum += sums[blockIdx.x * kBlocks + i];
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(kMask, sum, far);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int i = 1; i < kWarps; ++i) sum += warps[i];
  prices[blockIdx.x] +=
      exp(-static_cast<double>(kRate)) * sum / (static_cast<double>(kBlocks) * kThreads * kPathsOfThread);
}

// Cholesky's root of correlations of 0.4.
void upload_root() {
  double full[kShares][kShares]{};
  float packed[kRoot];
  for (int row = 0; row < kShares; ++row)
    for (int column = 0; column <= row; ++column) {
      double rest = row == column ? 1 : 0.4;
      for (int i = 0; i < column; ++i) rest -= full[row][i] * full[column][i];
      full[row][column] = row == column ? std::sqrt(rest) : rest / full[column][column];
      packed[row * (row + 1) / 2 + column] = static_cast<float>(full[row][column]);
    }
  CHECK(cudaMemcpyToSymbol(c_root, packed, sizeof packed));
}

Case make() {
  upload_root();
  auto* moves = device_array<Move>(kSteps * kShares);
  auto* sums = device_array<float>(std::size_t{kStrikes} * kBlocks);
  auto* prices = device_array<double>(kStrikes);
  CHECK(cudaMemset(prices, 0, kStrikes * sizeof(double)));
  const auto valuation = std::make_shared<int>(0);
  return {[=] {
            const int number = (*valuation)++;
            schedule<<<1, kShares * kSteps>>>(moves, number);
            simulate<<<kBlocks, kThreads>>>(sums, moves, 0x2545f491U + static_cast<unsigned>(number));
            discount<<<kStrikes, kThreads>>>(prices, sums);
          },
          [=] { return device_sum(prices, kStrikes); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, nullptr, [] { return make(); });
}
