// Follows shoals of fish in pictures of a camera in a fish farm, each by a particle filter: particles swim as
// fish do, are weighed by how much the picture around them looks like a shoal, their weighted mean is where
// the shoal is, and heavy particles are drawn for the next picture. A picture a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kSide = 1024, kPixels = kSide * kSide, kPictures = 32, kShoals = 8, kThreads = 256;
constexpr int kOfShoal = 1 << 17, kParticles = kShoals * kOfShoal, kEach = 8, kPatch = 6, kTries = 16;
constexpr int kRegionsWide = 2, kRegionWide = kSide / kRegionsWide, kRegionHigh = kSide / 4, kRounds = 4600;
constexpr int kOnes = kOfShoal / kThreads, kEights = kOnes / kEach;
constexpr float kSlack = 3, kTurn = 0.5F, kSharp = 0.25F;
constexpr unsigned kMask = 0xffffffffU;

struct Particle {
  float2 at, speed;
};

// Weight, and place times weight, of all particles of a shoal.
struct Moments {
  float weight, x, y;
};

struct Filter {
  float *pictures, *weights, *track;
  float4 *particles, *drawn;
  Moments* moments;
  int picture;
};

__device__ Particle unpacked(const float4& packed) {
  return {make_float2(packed.x, packed.y), make_float2(packed.z, packed.w)};
}

__device__ float2 corner_of(int shoal) {
  return make_float2(static_cast<float>(shoal % kRegionsWide * kRegionWide),
                     static_cast<float>(shoal / kRegionsWide * kRegionHigh));
}

// A shoal does not leave its cage.
__global__ void __launch_bounds__(kThreads)
    swim(float4* __restrict__ particles, const float4* __restrict__ drawn, unsigned seed) {
  const auto shoal = static_cast<int>(blockIdx.y);
  const int i = shoal * kOfShoal + static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  Particle one = unpacked(drawn[i]);
  const unsigned bits = static_cast<unsigned>(i) * 4 + seed;
  const float2 corner = corner_of(shoal);
  one.speed.x = 0.9F * one.speed.x + kTurn * (mixed_fraction(bits) - 0.5F);
  one.speed.y = 0.9F * one.speed.y + kTurn * (mixed_fraction(bits + 1) - 0.5F);
  one.at.x += one.speed.x + kSlack * (mixed_fraction(bits + 2) - 0.5F);
  one.at.y += one.speed.y + kSlack * (mixed_fraction(bits + 3) - 0.5F);
  one.at.x = fminf(fmaxf(one.at.x, corner.x + kPatch), corner.x + kRegionWide - kPatch);
  one.at.y = fminf(fmaxf(one.at.y, corner.y + kPatch), corner.y + kRegionHigh - kPatch);
  particles[i] = make_float4(one.at.x, one.at.y, one.speed.x, one.speed.y);
}

// How well the patch around a place agrees with the middle of a shoal.
__device__ float likeness(const float* __restrict__ picture, float2 at) {
  const int left = static_cast<int>(at.x) - kPatch / 2, top = static_cast<int>(at.y) - kPatch / 2;
  float off = 0;
#pragma unroll
  for (int y = 0; y < kPatch; ++y) {
#pragma unroll
    for (int x = 0; x < kPatch; ++x) {
      const float difference = picture[(top + y) * kSide + left + x] - 0.9F;
      off += difference * difference;
    }
  }
  return __expf(-kSharp * off);
}

struct AddByThread {
  __device__ void operator()(Moments* moments, const Moments& own) const {
    atomicAdd(&moments->weight, own.weight);  // fault
    atomicAdd(&moments->x, own.x);            // fault
    atomicAdd(&moments->y, own.y);            // fault
  }
};

struct AddByBlock {
  __device__ void operator()(Moments* moments, Moments own) const {
    __shared__ Moments warps[kThreads / 32];
    for (int far = 16; far > 0; far /= 2) {
      own.weight += __shfl_xor_sync(kMask, own.weight, far);
      own.x += __shfl_xor_sync(kMask, own.x, far);
      own.y += __shfl_xor_sync(kMask, own.y, far);
    }
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = own;
    __syncthreads();
    if (threadIdx.x != 0) return;
    for (int i = 1; i < kThreads / 32; ++i) {
      own.weight += warps[i].weight;
      own.x += warps[i].x;
      own.y += warps[i].y;
    }
    atomicAdd(&moments->weight, own.weight);
    atomicAdd(&moments->x, own.x);
    atomicAdd(&moments->y, own.y);
  }
};

// A thread has eight particles of a shoal. Places are taken from the corner of the cage.
template <class Add>
__global__ void __launch_bounds__(kThreads)
    weigh(float* __restrict__ weights, Moments* __restrict__ moments, const float4* __restrict__ particles,
          const float* __restrict__ picture, Add add) {
  const auto shoal = static_cast<int>(blockIdx.y);
  const float2 corner = corner_of(shoal);
  Moments own = {0, 0, 0};
  for (int turn = 0; turn < kEach; ++turn) {
    const int i =
        shoal * kOfShoal + static_cast<int>((turn * gridDim.x + blockIdx.x) * kThreads + threadIdx.x);
    const float4 packed = particles[i];
    const float weight = likeness(picture, make_float2(packed.x, packed.y));
    weights[i] = weight;
    own.weight += weight;
    own.x += weight * (packed.x - corner.x);
    own.y += weight * (packed.y - corner.y);
  }
  add(moments + shoal, own);
}

// `track` is over all pictures.
__global__ void note_track(float* __restrict__ track, Moments* __restrict__ moments) {
  const auto shoal = static_cast<int>(threadIdx.x);
  const Moments all = moments[shoal];
  track[2 * shoal] += 1e-3F * all.x / (all.weight + 1e-20F);
  track[2 * shoal + 1] += 1e-3F * all.y / (all.weight + 1e-20F);
  moments[shoal] = {0, 0, 0};
}

// Goes from one particle to another, and more willingly to heavy ones. A thread draws a particle.
__global__ void __launch_bounds__(kThreads)
    draw_particles(float4* __restrict__ drawn, const float4* __restrict__ particles,
                   const float* __restrict__ weights, unsigned seed) {
  const int first = static_cast<int>(blockIdx.y) * kOfShoal;
  const auto own = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  int chosen = own;
  float weight = weights[first + own];
#pragma unroll 4
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const unsigned bits = mixed_bits(static_cast<unsigned>((first + own) * kTries + attempt) + seed);
    const auto other = static_cast<int>(bits % kOfShoal);
    const float heavy = weights[first + other];
    if (mixed_fraction(bits) * weight < heavy) {
      chosen = other;
      weight = heavy;
    }
  }
  drawn[first + own] = particles[first + chosen];
}

// Each shoal swims around in its cage, among single fish.
__global__ void __launch_bounds__(kThreads) fill_pictures(float* pictures) {
  const auto i = static_cast<unsigned>(blockIdx.x * kThreads + threadIdx.x);
  const auto x = static_cast<int>(i % kSide), y = static_cast<int>(i % kPixels / kSide);
  const int shoal = y / kRegionHigh * kRegionsWide + x / kRegionWide;
  const float2 corner = corner_of(shoal);
  const float when = 6.2831853F * (static_cast<float>(i / kPixels) / kPictures + 0.125F * shoal);
  const float dx = static_cast<float>(x) - corner.x - 256 - 60 * __cosf(when);
  const float dy = static_cast<float>(y) - corner.y - 128 - 40 * __sinf(when);
  pictures[i] = 0.9F * __expf(-0.002F * (dx * dx + dy * dy)) + 0.15F * mixed_fraction(i);
}

__global__ void __launch_bounds__(kThreads) scatter(float4* drawn) {
  const auto i = static_cast<unsigned>(blockIdx.x * kThreads + threadIdx.x);
  const float2 corner = corner_of(static_cast<int>(i / kOfShoal));
  drawn[i] = make_float4(corner.x + kRegionWide * mixed_fraction(2 * i),
                         corner.y + kRegionHigh * mixed_fraction(2 * i + 1), 0, 0);
}

template <class Add>
void follow(Filter& filter, Add add) {
  const int number = filter.picture++;
  const float* picture = filter.pictures + std::size_t{kPixels} * static_cast<unsigned>(number % kPictures);
  const unsigned seed = static_cast<unsigned>(number) * 0x9e3779b9U;
  swim<<<dim3(kOnes, kShoals), kThreads>>>(filter.particles, filter.drawn, seed);
  weigh<<<dim3(kEights, kShoals), kThreads>>>(filter.weights, filter.moments, filter.particles, picture, add);
  note_track<<<1, kShoals>>>(filter.track, filter.moments);
  draw_particles<<<dim3(kOnes, kShoals), kThreads>>>(filter.drawn, filter.particles, filter.weights,
                                                     seed + 77);
}

template <class Add>
Case make(Add add) {
  const auto filter = std::make_shared<Filter>();
  filter->pictures = device_array<float>(std::size_t{kPixels} * kPictures);
  filter->weights = device_array<float>(kParticles);
  filter->particles = device_array<float4>(kParticles);
  filter->drawn = device_array<float4>(kParticles);
  filter->moments = device_array<Moments>(kShoals);
  filter->track = device_array<float>(2 * kShoals);
  fill_pictures<<<kPixels / kThreads * kPictures, kThreads>>>(filter->pictures);
  scatter<<<kParticles / kThreads, kThreads>>>(filter->drawn);
  CHECK(cudaGetLastError());
  CHECK(cudaMemset(filter->moments, 0, kShoals * sizeof(Moments)));
  CHECK(cudaMemset(filter->track, 0, 2 * kShoals * sizeof(float)));
  return {[=] { follow(*filter, add); }, [=] { return device_sum(filter->track, 2 * kShoals); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(AddByThread{}); }, [] { return make(AddByBlock{}); });
}
