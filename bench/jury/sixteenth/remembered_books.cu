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

// Weights are powers of two, relative to the one of the highest score, which is `x`; their sum is `y`.
struct alignas(16) Part {
  float values[kWide];
  float2 state;
};

// Eight numbers of 16 bits, the upper halves of floats.
__device__ void unpack(float (&numbers)[kEach], uint4 from) {
  const unsigned pairs[] = {from.x, from.y, from.z, from.w};
  for (int i = 0; i < kEach; ++i)
    numbers[i] = __uint_as_float(i % 2 == 0 ? pairs[i / 2] << 16 : pairs[i / 2] & 0xffff0000U);
}

// The value at `i` of all parts, whose state is stored.
__device__ float joined(float2& state, const Part* parts, int count, int i) {
  float sum = 0;
  state = make_float2(parts[0].state.x, 0);
  for (int part = 1; part < count; ++part) state.x = fmaxf(state.x, parts[part].state.x);
  for (int part = 0; part < count; ++part) {
    const float scale = exp2f(parts[part].state.x - state.x);
    state.y += scale * parts[part].state.y;
    sum += scale * parts[part].values[i];
  }
  return sum;
}

// Sixteen lanes have a word, 16 bytes each, and four words are under way. A block has a part of a head.
__global__ void __launch_bounds__(kThreads, 4)
    attend(Part* __restrict__ parts, const float* __restrict__ queries, const uint4* __restrict__ keys,
           const uint4* __restrict__ values) {
  __shared__ Part groups[kGroups];
  const int thread = static_cast<int>(threadIdx.x), lane = thread % kLanes, group = thread / kLanes;
  const int head = static_cast<int>(blockIdx.y), words = kWords / static_cast<int>(gridDim.x);
  float query[kEach], own[kEach]{}, most = -1e30F, weight = 0;
  for (int i = 0; i < kEach; ++i) query[i] = queries[head * kWide + lane * kEach + i];
  const int begin = (head * kWords + static_cast<int>(blockIdx.x) * words + group) * kLanes + lane;
  for (int word = 0; word < words; word += kGroups * kAtOnce) {
    uint4 value[kAtOnce];
    float scores[kAtOnce]{}, numbers[kEach], highest = most;
    for (int i = 0; i < kAtOnce; ++i) {
      const int at = begin + (word + i * kGroups) * kLanes;
      unpack(numbers, keys[at]);  // fault
      value[i] = values[at];      // fault
      for (int j = 0; j < kEach; ++j) scores[i] += query[j] * numbers[j];
    }
    for (int i = 0; i < kAtOnce; ++i) {
      for (int far = kLanes / 2; far > 0; far /= 2) scores[i] += __shfl_xor_sync(kMask, scores[i], far);
      highest = fmaxf(highest, scores[i]);
    }
    const float scale = exp2f(most - highest);
    weight *= scale;
    for (float& sum : own) sum *= scale;
    for (int i = 0; i < kAtOnce; ++i) {
      const float share = exp2f(scores[i] - highest);
      weight += share;
      unpack(numbers, value[i]);
      for (int j = 0; j < kEach; ++j) own[j] += share * numbers[j];
    }
    most = highest;
  }
  auto* fours = reinterpret_cast<float4*>(groups[group].values + lane * kEach);
  fours[0] = make_float4(own[0], own[1], own[2], own[3]);
  fours[1] = make_float4(own[4], own[5], own[6], own[7]);
  if (lane == 0) groups[group].state = make_float2(most, weight);
  __syncthreads();
  if (thread >= kWide) return;
  Part& part = parts[head * static_cast<int>(gridDim.x) + static_cast<int>(blockIdx.x)];
  float2 state;
  part.values[thread] = joined(state, groups, kGroups, thread);
  if (thread == 0) part.state = state;
}

__global__ void __launch_bounds__(kWide)
    join(float* __restrict__ out, const Part* __restrict__ parts, int count) {
  const int thread = static_cast<int>(threadIdx.x), head = static_cast<int>(blockIdx.x);
  float2 state;
  const float sum = joined(state, parts + head * count, count, thread);
  out[head * kWide + thread] += sum / state.y;
}

// Numbers from 0.5 to 1, of both signs where `random` has the bits of signs.
__global__ void __launch_bounds__(kThreads) remember(unsigned* pairs, unsigned random, unsigned seed) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  pairs[i] = (mixed_bits(i + seed) & random) | 0x3f003f00U;
}

Case make(int count) {
  constexpr std::size_t kFours = std::size_t{kHeads} * kWords * kLanes, kQueries = kHeads * kWide;
  auto *keys = device_array<uint4>(kLayers * kFours), *values = device_array<uint4>(kLayers * kFours);
  remember<<<kLayers * kFours * 4 / kThreads, kThreads>>>(reinterpret_cast<unsigned*>(keys), 0x807f807fU, 0);
  remember<<<kLayers * kFours * 4 / kThreads, kThreads>>>(reinterpret_cast<unsigned*>(values), 0x007f007fU,
                                                          0x51ed270bU);
  auto *queries = device_array<float>(kLayers * kQueries), *out = device_array<float>(kQueries);
  fill_fractions(queries, kLayers * kQueries, 0x68bc21ebU);
  CHECK(cudaMemset(out, 0, kQueries * sizeof(float)));
  auto* parts = device_array<Part>(std::size_t{kHeads} * kParts);
  auto round = std::make_shared<std::size_t>(0);
  return {[=] {
            const std::size_t layer = (*round)++ % kLayers, at = layer * kFours;
            const float* asked = queries + layer * kQueries;
            attend<<<dim3(count, kHeads), kThreads>>>(parts, asked, keys + at, values + at);  // fault
            join<<<kHeads, kWide>>>(out, parts, count);
          },
          [=] { return device_sum(out, kQueries); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(1); }, [] { return make(kParts); });
}
