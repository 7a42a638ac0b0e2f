// Learns from 4.2 million insured cars how likely they cause damage: gradient boosting by trees of four
// levels, where all nodes of a level ask the same question about one of 32 features of 64 steps each. A tree
// a round; after 64 trees it begins anew. Nothing is at fault. Four features make a word that is read by
// lanes side by side; gradients and nodes of a car share a word, too. Blocks count in shared memory, by whole
// numbers, and add their counts once. Only a block finds the best question of a level, as it needs all
// counts. The pattern is that of dmlc/xgboost, pull request 3384: histograms in shared memory, 45 s become
// 17, and rapidsai/legate-boost, pull request 154: gradients as whole numbers of 32 bits.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kCars = 1 << 22, kFeatures = 32, kSteps = 64, kWords = kFeatures / 4, kLevels = 4,
              kRounds = 4400;
constexpr int kThreads = 256, kBlocks = 99, kNodes = 1 << (kLevels - 1), kLeaves = 1 << kLevels, kTrees = 64;
constexpr int kPick = 1024, kCarBlocks = kCars / kThreads, kUnit = 2048;
constexpr float kRate = 0.3F, kAnyway = 50;
constexpr unsigned kMask = 0xffffffffU;

// Of a node, a feature and a step: the sum of gradients in units, and how many cars.
struct Bin {
  long long gradient, cars;
};

using Histogram = Bin[kNodes][kFeatures][kSteps];

// A car goes left where its step of the feature is not above `step`.
struct Tree {
  int features[kLevels], steps[kLevels];
  float leaves[kLeaves];
};

struct Cars {
  unsigned *features, *damages;  // features by fours; damages are 0 or 1
  float* scores;
  int* states;  // gradients above nodes
};

__device__ int own_car() {
  return static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
}

// The step of one of the four features of a word.
__device__ int step_of(unsigned word, int which) {
  return static_cast<int>(word >> which * 8 & 255);
}

// What the tree before said is added first; `fresh` begins anew.
__global__ void __launch_bounds__(kThreads) find_gradients(Cars cars, const Tree* tree, bool fresh) {
  const int car = own_car();
  const float score = fresh ? 0 : cars.scores[car] + tree->leaves[cars.states[car] & (kLeaves - 1)];
  const float likely = 1 / (1 + __expf(-score));
  cars.scores[car] = score;
  cars.states[car] = __float2int_rn(kUnit * (static_cast<float>(cars.damages[car]) - likely)) * kLeaves;
}

// A block has a part of the cars and four of the features.
template <int kOpen>
__global__ void __launch_bounds__(kThreads)
    count(Histogram* histogram, const unsigned* __restrict__ features, const int* __restrict__ states) {
  __shared__ int gradients[kOpen][4][kSteps], counts[kOpen][4][kSteps];
  const auto thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < kOpen * 4 * kSteps; i += kThreads)
    (&gradients[0][0][0])[i] = (&counts[0][0][0])[i] = 0;
  __syncthreads();
  const unsigned* own = features + std::size_t{blockIdx.y} * kCars;
#pragma unroll 4
  for (int car = own_car(); car < kCars; car += kBlocks * kThreads) {
    const unsigned word = own[car];
    const int state = states[car], node = state & (kOpen - 1), gradient = state >> kLevels;
#pragma unroll
    for (int which = 0; which < 4; ++which) {
      atomicAdd(&gradients[node][which][step_of(word, which)], gradient);
      atomicAdd(&counts[node][which][step_of(word, which)], 1);
    }
  }
  __syncthreads();
  for (int i = thread; i < kOpen * 4 * kSteps; i += kThreads) {
    const int node = i / (4 * kSteps), which = i / kSteps % 4, step = i % kSteps;
    Bin& bin = (*histogram)[node][blockIdx.y * 4 + which][step];
    const auto gradient = static_cast<long long>(gradients[node][which][step]);
    atomicAdd(reinterpret_cast<unsigned long long*>(&bin.gradient),
              static_cast<unsigned long long>(gradient));
    atomicAdd(reinterpret_cast<unsigned long long*>(&bin.cars),
              static_cast<unsigned long long>(counts[node][which][step]));
  }
}

// Sums up to each lane.
__device__ Bin sum_before(Bin own, int lane) {
  for (int far = 1; far < 32; far *= 2) {
    const long long gradient = __shfl_up_sync(kMask, own.gradient, far);
    const long long cars = __shfl_up_sync(kMask, own.cars, far);
    if (lane >= far) own = {own.gradient + gradient, own.cars + cars};
  }
  return own;
}

__device__ float worth(Bin bin) {
  const float gradient = static_cast<float>(bin.gradient) / kUnit;
  return gradient * gradient / (static_cast<float>(bin.cars) + kAnyway);
}

__device__ float leaf(Bin bin) {
  return kRate * 4 * static_cast<float>(bin.gradient) / kUnit / (static_cast<float>(bin.cars) + kAnyway);
}

// A warp has a feature, and a lane two steps of it. The histogram is emptied for the next level.
__global__ void __launch_bounds__(kPick) pick_question(Tree* tree, Histogram* histogram, int level) {
  __shared__ unsigned long long warps[kFeatures];
  const auto thread = static_cast<int>(threadIdx.x), feature = thread / 32, lane = thread % 32;
  float gains[2]{};
  for (int node = 0; node < 1 << level; ++node) {
    const Bin first = (*histogram)[node][feature][2 * lane],
              second = (*histogram)[node][feature][2 * lane + 1];
    const Bin upto = sum_before({first.gradient + second.gradient, first.cars + second.cars}, lane);
    const Bin all = {__shfl_sync(kMask, upto.gradient, 31), __shfl_sync(kMask, upto.cars, 31)};
    const Bin lower = {upto.gradient - second.gradient, upto.cars - second.cars};
    gains[0] += worth(lower) + worth({all.gradient - lower.gradient, all.cars - lower.cars});
    gains[1] += worth(upto) + worth({all.gradient - upto.gradient, all.cars - upto.cars});
  }
  const int better = gains[1] > gains[0] ? 1 : 0;
  const float gain = fmaxf(gains[0], gains[1]);
  unsigned long long best = static_cast<unsigned long long>(__float_as_uint(gain)) << 32 |
                            static_cast<unsigned>(feature * kSteps + 2 * lane + better);
  for (int far = 16; far > 0; far /= 2) best = max(best, __shfl_xor_sync(kMask, best, far));
  if (lane == 0) warps[feature] = best;
  __syncthreads();
  for (const unsigned long long warp : warps) best = max(best, warp);
  const int chosen = static_cast<int>(best & kMask) / kSteps, step = static_cast<int>(best & kMask) % kSteps;
  if (thread == 0) {
    tree->features[level] = chosen;
    tree->steps[level] = step;
  }
  if (thread < 1 << level) {
    Bin low{}, high{};
    for (int i = 0; i < kSteps; ++i) {
      const Bin bin = (*histogram)[thread][chosen][i];
      const bool below = i <= step;
      low = {low.gradient + (below ? bin.gradient : 0), low.cars + (below ? bin.cars : 0)};
      high = {high.gradient + (below ? 0 : bin.gradient), high.cars + (below ? 0 : bin.cars)};
    }
    tree->leaves[thread] = leaf(low);
    tree->leaves[thread + (1 << level)] = leaf(high);
  }
  __syncthreads();
  auto* bins = &(*histogram)[0][0][0];
  for (int i = thread; i < kNodes * kFeatures * kSteps; i += kPick) bins[i] = {0, 0};
}

__global__ void __launch_bounds__(kThreads)
    move_down(int* __restrict__ states, const unsigned* __restrict__ features, const Tree* tree, int level) {
  const int car = own_car(), feature = tree->features[level];
  const unsigned word = features[std::size_t{kCars} * (feature / 4) + car];
  if (step_of(word, feature % 4) > tree->steps[level]) states[car] |= 1 << level;
}

// Damages depend on some of the features.
__global__ void __launch_bounds__(kThreads) insure(Cars cars) {
  const auto car = static_cast<unsigned>(own_car());
  float risk = -1;
  for (unsigned i = 0; i < kWords; ++i) {
    const unsigned word = mixed_bits(car * kWords + i) & 0x3f3f3f3fU;
    cars.features[std::size_t{i} * kCars + car] = word;
    const auto one = static_cast<float>(step_of(word, 0)), other = static_cast<float>(step_of(word, 1));
    risk += (one > 40 ? 0.4F : -0.2F) * static_cast<float>(i % 3) + (other < 16 ? 0.5F : -0.1F);
  }
  cars.damages[car] = mixed_fraction(~car) < 1 / (1 + __expf(-risk)) ? 1 : 0;
}

struct Learner {
  Cars cars;
  Histogram* histogram;
  Tree* tree;
  int trees;
};

template <int kLevel>
void grow_level(const Learner& learner) {
  const Cars& cars = learner.cars;
  count<1 << kLevel><<<dim3(kBlocks, kWords), kThreads>>>(learner.histogram, cars.features, cars.states);
  pick_question<<<1, kPick>>>(learner.tree, learner.histogram, kLevel);
  move_down<<<kCarBlocks, kThreads>>>(cars.states, cars.features, learner.tree, kLevel);
}

void grow_tree(Learner& learner) {
  const bool fresh = learner.trees++ % kTrees == 0;
  find_gradients<<<kCarBlocks, kThreads>>>(learner.cars, learner.tree, fresh);
  grow_level<0>(learner);
  grow_level<1>(learner);
  grow_level<2>(learner);
  grow_level<3>(learner);
}

Case make() {
  const auto learner = std::make_shared<Learner>();
  *learner = {{device_array<unsigned>(std::size_t{kWords} * kCars), device_array<unsigned>(kCars),
               device_array<float>(kCars), device_array<int>(kCars)},
              device_array<Histogram>(1),
              device_array<Tree>(1),
              0};
  CHECK(cudaMemset(learner->histogram, 0, sizeof(Histogram)));
  insure<<<kCarBlocks, kThreads>>>(learner->cars);
  CHECK(cudaGetLastError());
  return {[=] { grow_tree(*learner); },
          [=] {
            return device_sum(learner->cars.scores, kCars) + device_sum(learner->cars.states, kCars) * 1e-3;
          },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, nullptr, [] { return make(); });
}
