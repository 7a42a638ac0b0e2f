// Lets a fungus spread through orchards of 2048 x 1024 trees: spores of ill trees land on the trees around,
// which fall ill, are cut down and replanted. 32 days a round; all arrays fit into L2.
// At fault: the host waits for each day's kernel, though it reads nothing, so the GPU idles from the end of
// a kernel until the next one is launched. The pattern is that of seanwevans/fluid-sims, pull request 15,
// and NVIDIA/cuda-quantum, pull request 4596: waits only where the host reads something.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kWide = 2048, kHigh = 1024, kAcross = 64, kDown = 4, kThreads = kAcross * kDown;
constexpr int kTrees = kWide * kHigh, kDays = 32, kYear = 365, kRounds = 12000, kPlot = 32;
constexpr float kCut = 0.1F, kReplanted = 0.02F;

// Both ends of an orchard meet.
__device__ int tree_at(int column, int row) {
  return (row & (kHigh - 1)) * kWide + (column & (kWide - 1));
}

// A thread has a tree, or rather the share of its leaves that is ill and the one that is healthy.
__global__ void __launch_bounds__(kThreads)
    spread(float* __restrict__ next, const float* __restrict__ ill, float* __restrict__ healthy,
           const float* __restrict__ weaknesses, float spores) {
  const int column = static_cast<int>(blockIdx.x * kAcross + threadIdx.x),
            row = static_cast<int>(blockIdx.y * kDown + threadIdx.y), tree = tree_at(column, row);
  const float own = ill[tree], well = healthy[tree];
  const float beside = ill[tree_at(column - 1, row)] + ill[tree_at(column + 1, row)] +
                       ill[tree_at(column, row - 1)] + ill[tree_at(column, row + 1)];
  const float across = ill[tree_at(column - 1, row - 1)] + ill[tree_at(column + 1, row - 1)] +
                       ill[tree_at(column - 1, row + 1)] + ill[tree_at(column + 1, row + 1)];
  const float landed = spores * (own + 0.2F * beside + 0.1F * across);
  const float caught = well * fminf(weaknesses[tree] * landed, 1);
  next[tree] = own + caught - kCut * own;
  healthy[tree] = well - caught + kReplanted * (1 - well - own);
}

// A tree in a thousand is ill, and trees of the same plot are alike.
__global__ void __launch_bounds__(kThreads) plant(float* ill, float* healthy, float* weaknesses) {
  const unsigned tree = blockIdx.x * kThreads + threadIdx.x;
  const unsigned plot = tree / kWide / kPlot * (kWide / kPlot) + tree % kWide / kPlot;
  ill[tree] = mixed_bits(tree) % 1000 == 0 ? 0.5F : 0;
  healthy[tree] = 1 - ill[tree];
  weaknesses[tree] = 0.4F + 0.6F * mixed_fraction(plot);
}

struct Orchard {
  float *ill, *next, *healthy, *weaknesses;
  int day;
};

void take_day(Orchard& orchard, bool waits) {
  const dim3 blocks(kWide / kAcross, kHigh / kDown), threads(kAcross, kDown);
  const float year = static_cast<float>(orchard.day++ % kYear) / kYear;
  const float spores = 0.3F + 0.2F * std::cos(6.2831853F * year);
  spread<<<blocks, threads>>>(orchard.next, orchard.ill, orchard.healthy, orchard.weaknesses, spores);
  CHECK(cudaGetLastError());
  if (waits) CHECK(cudaDeviceSynchronize());  // fault
  std::swap(orchard.ill, orchard.next);
}

Case make(bool waits) {
  const auto orchard =
      std::make_shared<Orchard>(Orchard{device_array<float>(kTrees), device_array<float>(kTrees),
                                        device_array<float>(kTrees), device_array<float>(kTrees), 0});
  plant<<<kTrees / kThreads, kThreads>>>(orchard->ill, orchard->healthy, orchard->weaknesses);
  CHECK(cudaGetLastError());
  return {[=] {
            for (int day = 0; day < kDays; ++day) take_day(*orchard, waits);  // fault
          },
          [=] { return device_sum(orchard->ill, kTrees) + device_sum(orchard->healthy, kTrees); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
