// Collisions of two particles into two, 4,194,304 a round in parts of 262,144: draws the momenta and adds up
// squared amplitudes over 16 helicities.
// Nothing is wrong: a particle's components lie in pages of 32 events, so that the lanes of a warp have
// neighbouring words though an event's words are 128 bytes apart, and the momenta of a part stay in L2
// between its two kernels. The pattern is that of madgraph5/madgraph4gpu, issue 16: arrays of structures of
// arrays, better than either.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kPage = 32, kParticles = 4, kComponents = 4, kHelicities = 16, kThreads = 256;
constexpr int kEvents = 1 << 18, kParts = 16, kBlocks = kEvents / kThreads, kRounds = 1800;
constexpr std::size_t kMomenta = std::size_t{kEvents} * kParticles * kComponents;

struct Momentum {
  float energy, x, y, z;
};

struct Amplitude {
  float real, imaginary;
};

__device__ Amplitude operator*(Amplitude a, Amplitude b) {
  return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
}

__device__ Amplitude operator+(Amplitude a, Amplitude b) {
  return {a.real + b.real, a.imaginary + b.imaginary};
}

// Pages of events, in them particles, in them components, in them events.
__device__ int place_of(int event, int particle, int component) {
  return ((event / kPage * kParticles + particle) * kComponents + component) * kPage + event % kPage;
}

__device__ void store(float* momenta, int event, int particle, const Momentum& p) {
  momenta[place_of(event, particle, 0)] = p.energy;
  momenta[place_of(event, particle, 1)] = p.x;
  momenta[place_of(event, particle, 2)] = p.y;
  momenta[place_of(event, particle, 3)] = p.z;
}

__device__ Momentum load(const float* momenta, int event, int particle) {
  return {momenta[place_of(event, particle, 0)], momenta[place_of(event, particle, 1)],
          momenta[place_of(event, particle, 2)], momenta[place_of(event, particle, 3)]};
}

// Two come along the axis, and two leave at an angle.
__global__ void __launch_bounds__(kThreads) draw_momenta(float* momenta, unsigned seed) {
  const int event = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const unsigned own = static_cast<unsigned>(event) * 3 + seed;
  const float energy = 1 + 0.5F * mixed_fraction(own), cosine = 1.8F * mixed_fraction(own + 1) - 0.9F;
  const float turn = 6.2831853F * mixed_fraction(own + 2), sine = sqrtf(1 - cosine * cosine);
  const Momentum leaving{energy, energy * sine * __cosf(turn), energy * sine * __sinf(turn), energy * cosine};
  store(momenta, event, 0, {energy, 0, 0, energy});
  store(momenta, event, 1, {energy, 0, 0, -energy});
  store(momenta, event, 2, leaving);
  store(momenta, event, 3, {energy, -leaving.x, -leaving.y, -leaving.z});
}

// Of two massless particles of the same or of other helicities.
__device__ Amplitude spinor_product(const Momentum& p, const Momentum& q, bool turned) {
  const float one = sqrtf(fmaxf(p.energy + p.x, 1e-6F)), two = sqrtf(fmaxf(q.energy + q.x, 1e-6F));
  const Amplitude left{p.y * two / one, (turned ? -p.z : p.z) * two / one};
  const Amplitude right{-q.y * one / two, (turned ? q.z : -q.z) * one / two};
  return left + right;
}

__device__ float squared_amplitude(const Momentum (&p)[kParticles], int helicity) {
  const bool first = (helicity & 1) != 0, second = (helicity & 2) != 0, third = (helicity & 4) != 0;
  const float coupling = (helicity & 8) != 0 ? 0.31F : 0.29F;
  const Amplitude in = spinor_product(p[0], p[2], first), out = spinor_product(p[1], p[3], second);
  const Amplitude across = spinor_product(p[0], p[3], third), back = spinor_product(p[1], p[2], third);
  const Amplitude all = in * out + across * back;
  const float scale = coupling / (p[0].energy * p[1].energy);
  return scale * scale * (all.real * all.real + all.imaginary * all.imaginary);
}

// Of the block; the sum is the first thread's.
__device__ float summed(float value) {
  __shared__ float parts[kThreads / 32];
  for (int far = 16; far > 0; far /= 2) value += __shfl_xor_sync(0xffffffffU, value, far);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  float sum = 0;
  for (const float part : parts) sum += part;
  return sum;
}

__global__ void __launch_bounds__(kThreads) add_amplitudes(double* sums, const float* momenta) {
  const int event = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  Momentum p[kParticles];
#pragma unroll
  for (int particle = 0; particle < kParticles; ++particle) p[particle] = load(momenta, event, particle);
  float total = 0;
#pragma unroll 1
  for (int helicity = 0; helicity < kHelicities; ++helicity) total += squared_amplitude(p, helicity);
  const float sum = summed(total);
  if (threadIdx.x == 0) sums[blockIdx.x] += sum;
}

Case make() {
  auto* momenta = device_array<float>(kMomenta);
  auto* sums = device_array<double>(kBlocks);
  CHECK(cudaMemset(sums, 0, kBlocks * sizeof(double)));
  auto part = std::make_shared<unsigned>(0);
  return {[=] {
            for (int i = 0; i < kParts; ++i) {
              draw_momenta<<<kBlocks, kThreads>>>(momenta, (*part)++ * 3U * kEvents);
              add_amplitudes<<<kBlocks, kThreads>>>(sums, momenta);
            }
          },
          [=] { return device_sum(sums, kBlocks); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
