// A cluster of stars that falls around a galaxy: each star is pulled by all others and by the tide, loses
// mass as it ages, and the cluster's profile is kept: how much mass is how far from the middle, and how fast
// it moves. A step a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kStars = 1 << 16, kThreads = 128, kBlocks = kStars / kThreads, kUnroll = 16, kRounds = 800;
constexpr int kShells = 64, kMeasureBlocks = 64, kMeasureThreads = 256;
constexpr float kStep = 0.002F, kSoft = 1e-4F, kTide = 0.05F, kAging = 1e-5F, kShellsOfUnit = 8;
constexpr float kMassUnits = 1U << 28;
constexpr unsigned kMask = 0xffffffffU;

// Masses are in w of places.
struct Stars {
  float4 *places, *speeds;
};

// Sums over the stars of a block: mass, mass by place, and energy of motion.
struct Moments {
  float mass, x, y, z, energy;
};

struct Cluster {
  Stars now, next;
  Moments* parts;
  unsigned* shells;  // mass of the shells, by blocks
  float4* middle;    // with the energy in w
  float* history;    // of the shells
  int step = 0;
};

__device__ float3 pulled(float3 pull, float4 own, float4 other) {
  const float x = other.x - own.x, y = other.y - own.y, z = other.z - own.z;
  const float inverse = rsqrtf(x * x + y * y + z * z + kSoft);
  const float part = other.w * inverse * inverse * inverse;
  return make_float3(pull.x + part * x, pull.y + part * y, pull.z + part * z);
}

// A thread has a star, a block goes through all stars by tiles in shared memory. The tide pulls apart along x
// and together along z, and the frame turns with the cluster.
__global__ void __launch_bounds__(kThreads) attract(Stars next, Stars now) {
  __shared__ float4 tile[2][kThreads];
  const auto thread = static_cast<int>(threadIdx.x), i = static_cast<int>(blockIdx.x) * kThreads + thread;
  const float4 own = now.places[i];
  float3 pull = make_float3(0, 0, 0);
  float4 ahead = now.places[thread];
  for (int number = 0; number < kBlocks; ++number) {
    auto& here = tile[number % 2];
    here[thread] = ahead;
    __syncthreads();
    ahead = now.places[(number + 1) % kBlocks * kThreads + thread];
#pragma unroll kUnroll
    for (int j = 0; j < kThreads; ++j) pull = pulled(pull, own, here[j]);
  }
  float4 speed = now.speeds[i];
  pull.x += 3 * kTide * own.x + 0.2F * speed.y;
  pull.y -= 0.2F * speed.x;
  pull.z -= kTide * own.z;
  speed = make_float4(speed.x + kStep * pull.x, speed.y + kStep * pull.y, speed.z + kStep * pull.z, speed.w);
  next.speeds[i] = speed;
  next.places[i] = make_float4(own.x + kStep * speed.x, own.y + kStep * speed.y, own.z + kStep * speed.z,
                               own.w * (1 - kAging * speed.w));
}

__device__ float warp_sum(float sum) {
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(kMask, sum, far);
  return sum;
}

// How the mass lies around the middle of the step before, first for the block.
__global__ void __launch_bounds__(kMeasureThreads)
    measure(Moments* __restrict__ parts, unsigned* __restrict__ shells, Stars now,
            const float4* __restrict__ middle) {
  __shared__ unsigned own_shells[kShells];
  __shared__ Moments warps[kMeasureThreads / 32];
  const auto thread = static_cast<int>(threadIdx.x);
  if (thread < kShells) own_shells[thread] = 0;
  __syncthreads();
  const float4 from = *middle;
  Moments sum = {0, 0, 0, 0, 0};
#pragma unroll
  for (int part = 0; part < kStars / (kMeasureBlocks * kMeasureThreads); ++part) {
    const int i = (part * kMeasureBlocks + static_cast<int>(blockIdx.x)) * kMeasureThreads + thread;
    const float4 place = now.places[i], speed = now.speeds[i];
    const float x = place.x - from.x, y = place.y - from.y, z = place.z - from.z;
    const auto shell = static_cast<int>(kShellsOfUnit * sqrtf(x * x + y * y + z * z));
    if (shell < kShells) atomicAdd(own_shells + shell, __float2uint_rn(kMassUnits * place.w));
    sum.mass += place.w;
    sum.x += place.w * place.x;
    sum.y += place.w * place.y;
    sum.z += place.w * place.z;
    sum.energy += 0.5F * place.w * (speed.x * speed.x + speed.y * speed.y + speed.z * speed.z);
  }
  sum = {warp_sum(sum.mass), warp_sum(sum.x), warp_sum(sum.y), warp_sum(sum.z), warp_sum(sum.energy)};
  if (thread % 32 == 0) warps[thread / 32] = sum;
  __syncthreads();
  if (thread < kShells) shells[static_cast<int>(blockIdx.x) * kShells + thread] = own_shells[thread];
  if (thread != 0) return;
  for (int warp = 1; warp < kMeasureThreads / 32; ++warp) {
    const Moments& other = warps[warp];
    sum = {sum.mass + other.mass, sum.x + other.x, sum.y + other.y, sum.z + other.z,
           sum.energy + other.energy};
  }
  parts[blockIdx.x] = sum;
}

// One block puts the parts together. A thread has a shell.
__global__ void __launch_bounds__(kShells)
    keep_profile(float* __restrict__ history, float4* __restrict__ middle, const Moments* __restrict__ parts,
                 const unsigned* __restrict__ shells) {
  __shared__ Moments warps[kMeasureBlocks / 32];
  const auto thread = static_cast<int>(threadIdx.x);
  Moments sum = parts[thread];
  float mass = 0;
#pragma unroll 16
  for (int block = 0; block < kMeasureBlocks; ++block)
    mass += static_cast<float>(shells[block * kShells + thread]);
  history[thread] = 0.99F * history[thread] + 0.01F / kMassUnits * mass;
  sum = {warp_sum(sum.mass), warp_sum(sum.x), warp_sum(sum.y), warp_sum(sum.z), warp_sum(sum.energy)};
  if (thread % 32 == 0) warps[thread / 32] = sum;
  __syncthreads();
  if (thread != 0) return;
  const Moments& other = warps[1];
  const float share = 1 / (sum.mass + other.mass);
  *middle = make_float4(share * (sum.x + other.x), share * (sum.y + other.y), share * (sum.z + other.z),
                        0.99F * middle->w + 0.01F * (sum.energy + other.energy));
}

// A ball of stars of many masses, denser in the middle, that turns a little. Heavy stars age faster.
__global__ void __launch_bounds__(kThreads) be_born(Stars stars) {
  const auto i = blockIdx.x * kThreads + threadIdx.x;
  const auto random = [&](unsigned seed) { return mixed_fraction(i + seed * 7000003U); };
  const float far = 0.02F + 1.5F * random(1) * sqrtf(random(2)), turn = 6.2831853F * random(3);
  const float up = 2 * random(4) - 1, flat = sqrtf(1 - up * up);
  const float heavy = 0.3F + 2 * random(5) * random(5);
  const float x = far * flat * __cosf(turn), y = far * flat * __sinf(turn), z = far * up;
  const float fast = 0.35F;
  stars.places[i] = make_float4(x, y, z, heavy / kStars);
  stars.speeds[i] = make_float4(fast * (2 * random(6) - 1) - 0.2F * y, fast * (2 * random(7) - 1) + 0.2F * x,
                                fast * (2 * random(8) - 1), heavy * heavy);
}

void step(Cluster& cluster) {
  attract<<<kBlocks, kThreads>>>(cluster.next, cluster.now);
  std::swap(cluster.now, cluster.next);
  measure<<<kMeasureBlocks, kMeasureThreads>>>(cluster.parts, cluster.shells, cluster.now, cluster.middle);
  keep_profile<<<1, kShells>>>(cluster.history, cluster.middle, cluster.parts, cluster.shells);
}

double profile(const Cluster& cluster) {
  float4 middle;
  CHECK(cudaMemcpy(&middle, cluster.middle, sizeof middle, cudaMemcpyDeviceToHost));
  return device_sum(cluster.history, kShells) + middle.w;
}

Case make() {
  const auto cluster = std::make_shared<Cluster>();
  for (Stars* stars : {&cluster->now, &cluster->next})
    *stars = {device_array<float4>(kStars), device_array<float4>(kStars)};
  be_born<<<kBlocks, kThreads>>>(cluster->now);
  cluster->parts = device_array<Moments>(kMeasureBlocks);
  cluster->shells = device_array<unsigned>(kMeasureBlocks * kShells);
  cluster->history = device_array<float>(kShells);
  CHECK(cudaMemset(cluster->history, 0, kShells * sizeof(float)));
  cluster->middle = device_array<float4>(1);
  CHECK(cudaMemset(cluster->middle, 0, sizeof(float4)));
  return {[=] { step(*cluster); }, [=] { return profile(*cluster); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
