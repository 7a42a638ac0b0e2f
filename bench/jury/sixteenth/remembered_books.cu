// Lets a language model write on after 131,072 words of a book: the query of each of 16 heads meets all
// stored keys, and the stored values are added up by these weights. A layer of four a round, for one word.
// At fault: a block has a head, so 16 blocks read 1.1 GB, and most of the GPU is idle. The pattern is that
// of gty111/gLLM, pull request 273, and paiml/aprender, issue 3725: the keys of a head are split among
// blocks, whose parts are joined by a second kernel.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kHeads = 16, kWords = 1 << 17, kWide = 128, kLayers = 4, kThreads = 256, kRounds = 4000;
constexpr int kLanes = 16, kEach = kWide / kLanes, kGroups = kThreads / kLanes, kAtOnce = 4, kParts = 32;
constexpr unsigned kMask = 0xffffffffU;

// Weights are powers of two, relative to the one of the highest score.
struct Part {
  float most, weight, values[kWide];
};

// Two numbers of 16 bits, the upper halves of floats.
__device__ float first_of(unsigned pair) {
  return __uint_as_float(pair << 16);
}
__device__ float second_of(unsigned pair) {
  return __uint_as_float(pair & 0xffff0000U);
}

__device__ void add(float (&sums)[kEach], uint4 value, float weight) {
  const unsigned pairs[] = {value.x, value.y, value.z, value.w};
#pragma unroll
  for (int i = 0; i < kEach; ++i)
    sums[i] += weight * (i % 2 == 0 ? first_of(pairs[i / 2]) : second_of(pairs[i / 2]));
}

__device__ float product(const float (&query)[kEach], uint4 key) {
  const unsigned pairs[] = {key.x, key.y, key.z, key.w};
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kEach; i += 2)
    sum += query[i] * first_of(pairs[i / 2]) + query[i + 1] * second_of(pairs[i / 2]);
  return sum;
}

// Sixteen lanes have a word, 16 bytes each, and four words are under way. A block has a part of a head.
__global__ void __launch_bounds__(kThreads, 4)
    attend(Part* __restrict__ parts, const float* __restrict__ queries, const uint4* __restrict__ keys,
           const uint4* __restrict__ values) {
  __shared__ float mosts[kGroups], weights[kGroups];
  __shared__ float sums[kGroups][kWide];
  const int thread = static_cast<int>(threadIdx.x), lane = thread % kLanes, group = thread / kLanes;
  const int head = static_cast<int>(blockIdx.y), words = kWords / static_cast<int>(gridDim.x);
  float query[kEach], own[kEach]{}, most = -1e30F, weight = 0;
#pragma unroll
  for (int i = 0; i < kEach; ++i) query[i] = queries[head * kWide + lane * kEach + i];
  const int begin = (head * kWords + static_cast<int>(blockIdx.x) * words + group) * kLanes + lane;
  for (int word = 0; word < words; word += kGroups * kAtOnce) {
    uint4 value[kAtOnce];
    float scores[kAtOnce], highest = most;
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      const int at = begin + (word + i * kGroups) * kLanes;
      scores[i] = product(query, keys[at]);  // fault
      value[i] = values[at];                 // fault
    }
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      for (int far = kLanes / 2; far > 0; far /= 2) scores[i] += __shfl_xor_sync(kMask, scores[i], far);
      highest = fmaxf(highest, scores[i]);
    }
    const float scale = exp2f(most - highest);
    weight *= scale;
#pragma unroll
    for (int i = 0; i < kEach; ++i) own[i] *= scale;
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      const float share = exp2f(scores[i] - highest);
      weight += share;
      add(own, value[i], share);
    }
    most = highest;
  }
  if (lane == 0) {
    mosts[group] = most;
    weights[group] = weight;
  }
  auto* fours = reinterpret_cast<float4*>(sums[group] + lane * kEach);
  fours[0] = make_float4(own[0], own[1], own[2], own[3]);
  fours[1] = make_float4(own[4], own[5], own[6], own[7]);
  __syncthreads();
  if (thread >= kWide) return;
  float highest = mosts[0], all = 0, sum = 0;
  for (int i = 1; i < kGroups; ++i) highest = fmaxf(highest, mosts[i]);
  for (int i = 0; i < kGroups; ++i) {
    const float scale = exp2f(mosts[i] - highest);
    all += scale * weights[i];
    sum += scale * sums[i][thread];
  }
  Part& part = parts[head * static_cast<int>(gridDim.x) + static_cast<int>(blockIdx.x)];
  part.values[thread] = sum;
  if (thread > 0) return;
  part.most = highest;
  part.weight = all;
}

__global__ void __launch_bounds__(kWide)
    join(float* __restrict__ out, const Part* __restrict__ parts, int count) {
  const int thread = static_cast<int>(threadIdx.x), head = static_cast<int>(blockIdx.x);
  const Part* own = parts + head * count;
  float highest = own[0].most, all = 0, sum = 0;
  for (int i = 1; i < count; ++i) highest = fmaxf(highest, own[i].most);
  for (int i = 0; i < count; ++i) {
    const float scale = exp2f(own[i].most - highest);
    all += scale * own[i].weight;
    sum += scale * own[i].values[thread];
  }
  out[head * kWide + thread] += sum / all;
}

// Numbers from 0.5 to 1, of both signs where `random` has the bits of signs.
__global__ void __launch_bounds__(kThreads) remember(unsigned* pairs, unsigned random, unsigned seed) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  pairs[i] = (mixed_bits(i + seed) & random) | 0x3f003f00U;
}

Case make(int count) {
  constexpr std::size_t kPairs = std::size_t{kHeads} * kWords * kWide / 2, kFours = kPairs / 4;
  auto *keys = device_array<uint4>(kLayers * kFours), *values = device_array<uint4>(kLayers * kFours);
  constexpr unsigned kBlocks = kLayers * kPairs / kThreads;
  remember<<<kBlocks, kThreads>>>(reinterpret_cast<unsigned*>(keys), 0x807f807fU, 0);
  remember<<<kBlocks, kThreads>>>(reinterpret_cast<unsigned*>(values), 0x007f007fU, 0x51ed270bU);
  auto *queries = device_array<float>(kLayers * kHeads * kWide), *out = device_array<float>(kHeads * kWide);
  fill_fractions(queries, kLayers * kHeads * kWide, 0x68bc21ebU);
  CHECK(cudaMemset(out, 0, kHeads * kWide * sizeof(float)));
  auto* parts = device_array<Part>(std::size_t{kHeads} * kParts);
  auto round = std::make_shared<std::size_t>(0);
  return {[=] {
            const std::size_t layer = (*round)++ % kLayers;
            attend<<<dim3(count, kHeads), kThreads>>>(  // fault
                parts, queries + layer * kHeads * kWide, keys + layer * kFours, values + layer * kFours);
            join<<<kHeads, kWide>>>(out, parts, count);
          },
          [=] { return device_sum(out, kHeads * kWide); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(1); }, [] { return make(kParts); });
}
