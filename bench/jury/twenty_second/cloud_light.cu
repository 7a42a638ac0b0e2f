// Follows sunlight through a field of clouds: photons fly from the top of the air, are scattered by droplets,
// and are counted where they reach the ground or leave upwards. Clouds drift with the wind and form anew, and
// the light at the ground is averaged over time. A million photons a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kWide = 256, kDeep = 64, kPlane = kWide * kWide, kCells = kPlane * kDeep, kThreads = 256;
constexpr int kPhotons = 1 << 20, kMost = 128, kAngles = 1024, kRounds = 4000;
constexpr float kThickest = 0.35F, kAbsorbed = 0.002F, kForward = 0.85F, kSunX = 0.5F, kSunZ = -0.8660254F;
constexpr float kSlow = 0.05F;

// Cosines of angles of scattering at equal steps of their probability.
__constant__ float constant_cosines[kAngles];

struct Sky {
  float *thickness, *cosines, *ground, *usual, *leaving;
  int hour;
};

struct Random {
  unsigned state;

  __device__ float next() {
    state = state * 747796405U + 2891336453U;
    const unsigned bits = ((state >> ((state >> 28) + 4)) ^ state) * 277803737U;
    return static_cast<float>(((bits >> 22) ^ bits) >> 8) / static_cast<float>(1U << 24);
  }
};

struct Photon {
  float x, y, z, along_x, along_y, along_z, weight;

  __device__ void turn(float cosine, float around) {
    const float sine = sqrtf(fmaxf(1 - cosine * cosine, 0));
    float s = 0, c = 0;
    __sincosf(6.2831853F * around, &s, &c);
    const float across = sqrtf(fmaxf(1 - along_z * along_z, 1e-8F));
    const float new_x = sine * (along_x * along_z * c - along_y * s) / across + along_x * cosine;
    const float new_y = sine * (along_y * along_z * c + along_x * s) / across + along_y * cosine;
    const float new_z = -sine * c * across + along_z * cosine;
    const float scale = rsqrtf(new_x * new_x + new_y * new_y + new_z * new_z);
    along_x = scale * new_x;
    along_y = scale * new_y;
    along_z = scale * new_z;
  }
};

// The field goes on at its other side.
__device__ int cell_of(float x, float y, int plane) {
  const int column = static_cast<int>(floorf(x)) & (kWide - 1),
            row = static_cast<int>(floorf(y)) & (kWide - 1);
  return plane * kPlane + row * kWide + column;
}

// A bump of cloud around each of some places that drift with the wind.
__global__ void __launch_bounds__(kThreads) drift_clouds(float* __restrict__ thickness, float wind) {
  const auto cell = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const float x = static_cast<float>(cell % kWide) - wind, y = static_cast<float>(cell / kWide % kWide);
  const float z = static_cast<float>(cell / kPlane);
  const float wave = __sinf(0.0490874F * x) * __cosf(0.0736311F * y) +
                     0.6F * __sinf(0.1227185F * x + 1.3F) * __cosf(0.1472622F * y + 0.01F * wind) +
                     0.3F * __sinf(0.3436117F * x) * __cosf(0.3190680F * y);
  const float high = (z - 26) / 18, cover = wave + 0.7F - high * high;
  thickness[cell] = fminf(fmaxf(0.4F * cover, 0.01F), kThickest);
}

// A thread has a photon at a time. It flies to where it would meet a droplet in the thickest cloud, and meets
// one with the share that the cloud there has. What still flies after 128 flights is not counted.
template <bool kInConstant>
__global__ void __launch_bounds__(kThreads)
    fly(float* __restrict__ ground, float* __restrict__ leaving, const float* __restrict__ thickness,
        const float* __restrict__ cosines, unsigned seed) {
  __shared__ float shared_cosines[kInConstant ? 1 : kAngles];
  if constexpr (!kInConstant) {
    for (int i = static_cast<int>(threadIdx.x); i < kAngles; i += kThreads) shared_cosines[i] = cosines[i];
    __syncthreads();
  }
  float left_upwards = 0;
  for (auto number = blockIdx.x * kThreads + threadIdx.x; number < kPhotons; number += gridDim.x * kThreads) {
    Random random = {mixed_bits(number ^ seed)};
    Photon photon = {kWide * random.next(), kWide * random.next(), kDeep, kSunX, 0, kSunZ, 1};
    for (int flight = 0; flight < kMost; ++flight) {
      const float far = -__logf(1 - random.next()) / kThickest;
      photon.x += far * photon.along_x;
      photon.y += far * photon.along_y;
      photon.z += far * photon.along_z;
      if (photon.z < 0) {
        atomicAdd(ground + cell_of(photon.x, photon.y, 0), photon.weight);
        break;
      }
      if (photon.z >= kDeep) {
        left_upwards += photon.weight;
        break;
      }
      const float here = thickness[cell_of(photon.x, photon.y, static_cast<int>(photon.z))];
      if (random.next() * kThickest >= here) continue;
      photon.weight *= 1 - kAbsorbed;
      const auto angle = static_cast<int>(kAngles * random.next());
      if constexpr (kInConstant)
        photon.turn(constant_cosines[angle], random.next());  // fault
      else
        photon.turn(shared_cosines[angle], random.next());
    }
  }
  const int thread = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  leaving[thread] += left_upwards;
}

// The light at the ground over time. Counting begins anew.
__global__ void __launch_bounds__(kThreads)
    average_ground(float* __restrict__ usual, float* __restrict__ ground) {
  const auto cell = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const float now = ground[cell], before = usual[cell];
  usual[cell] = before + kSlow * (now - before);
  ground[cell] = 0;
}

// By the phase function of Henyey and Greenstein.
void fill_cosines(float* cosines) {
  for (int i = 0; i < kAngles; ++i) {
    const double share = (i + 0.5) / kAngles, g = kForward;
    const double bent = (1 - g * g) / (1 - g + 2 * g * share);
    cosines[i] = static_cast<float>((1 + g * g - bent * bent) / (2 * g));
  }
}

constexpr int kBlocks = 132 * 8;

template <bool kInConstant>
void shine(Sky& sky) {
  const auto hour = static_cast<unsigned>(sky.hour++);
  const float wind = 0.25F * static_cast<float>(hour % (4 * kWide));
  drift_clouds<<<kCells / kThreads, kThreads>>>(sky.thickness, wind);
  fly<kInConstant>
      <<<kBlocks, kThreads>>>(sky.ground, sky.leaving, sky.thickness, sky.cosines, hour * 0x9e3779b9U);
  average_ground<<<kPlane / kThreads, kThreads>>>(sky.usual, sky.ground);
}

template <bool kInConstant>
Case make() {
  const auto sky = std::make_shared<Sky>();
  *sky = {device_array<float>(kCells),
          device_array<float>(kAngles),
          device_array<float>(kPlane),
          device_array<float>(kPlane),
          device_array<float>(kBlocks * kThreads),
          0};
  auto* cosines = pinned_array<float>(kAngles);
  fill_cosines(cosines);
  if constexpr (kInConstant)
    CHECK(cudaMemcpyToSymbol(constant_cosines, cosines, kAngles * sizeof(float)));
  else
    CHECK(cudaMemcpy(sky->cosines, cosines, kAngles * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaFreeHost(cosines));
  CHECK(cudaMemset(sky->ground, 0, kPlane * sizeof(float)));
  CHECK(cudaMemset(sky->usual, 0, kPlane * sizeof(float)));
  CHECK(cudaMemset(sky->leaving, 0, kBlocks * kThreads * sizeof(float)));
  return {
      [=] { shine<kInConstant>(*sky); },
      [=] { return 1e-4 * device_sum(sky->leaving, kBlocks * kThreads) + device_sum(sky->usual, kPlane); },
      kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make<true>(); }, [] { return make<false>(); });
}
