// Generates collisions in which four jets arise: momenta that are spread evenly over all that is possible,
// how likely each of 2.1 million events is, and a histogram of the mass of pairs of jets. How strong the
// coupling is at the scale of each event was found on the host before. A sample of events a round. At fault:
// the couplings stay in pinned memory of the host, which the kernel reads over PCIe in each round, though
// they never change; a copy in the memory of the GPU, made once, would be read in their place. The pattern is
// that of madgraph5/madgraph4gpu, issue 566: couplings in pinned memory of the host, which the kernel reads
// directly.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kEvents = 1 << 21, kJets = 4, kThreads = 256, kBlocks = kEvents / kThreads;
constexpr int kBins = 256, kFillBlocks = 132 * 8, kRounds = 16000;
constexpr float kEnergy = 1000, kTwoPi = 6.2831853F, kLeastMass = 20;

// Jets of an event are `kEvents` apart; x, y, z and energy.
__device__ float4 add(float4 one, float4 other) {
  return make_float4(one.x + other.x, one.y + other.y, one.z + other.z, one.w + other.w);
}

__device__ float4 even_direction(unsigned bits) {
  const float cosine = 2 * mixed_fraction(bits) - 1, sine = sqrtf(fmaxf(1 - cosine * cosine, 0));
  float up = 0, along = 0;
  __sincosf(kTwoPi * (mixed_fraction(bits + 1) - 0.5F), &up, &along);
  const float energy = -__logf((mixed_fraction(bits + 2) + 1e-7F) * (mixed_fraction(bits + 3) + 1e-7F));
  return make_float4(energy * sine * along, energy * sine * up, energy * cosine, energy);
}

// Jets in any directions, which are then moved along and scaled so that they are at rest together.
__global__ void __launch_bounds__(kThreads) collide(float4* __restrict__ jets, unsigned sample) {
  const auto event = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  float4 own[kJets], all = make_float4(0, 0, 0, 0);
#pragma unroll
  for (int jet = 0; jet < kJets; ++jet) {
    own[jet] = even_direction((static_cast<unsigned>(event) * kJets + jet) * 4 + sample * 0x85ebca6bU);
    all = add(all, own[jet]);
  }
  const float mass = sqrtf(fmaxf(all.w * all.w - all.x * all.x - all.y * all.y - all.z * all.z, 1e-6F));
  const float x = -all.x / mass, y = -all.y / mass, z = -all.z / mass, gamma = all.w / mass;
  const float scale = kEnergy / mass, share = 1 / (1 + gamma);
#pragma unroll
  for (int jet = 0; jet < kJets; ++jet) {
    const float4 before = own[jet];
    const float along = x * before.x + y * before.y + z * before.z, by = before.w + share * along;
    jets[jet * kEvents + event] =
        make_float4(scale * (before.x + x * by), scale * (before.y + y * by), scale * (before.z + z * by),
                    scale * (gamma * before.w + along));
  }
}

__device__ float square_of_mass(float4 one, float4 other) {
  return fmaxf(2 * (one.w * other.w - one.x * other.x - one.y * other.y - one.z * other.z), 1.0F);
}

// The sum over the orders of four gluons; events with jets too close to each other do not count.
__global__ void __launch_bounds__(kThreads)
    weigh(float* __restrict__ weights, const float4* __restrict__ jets, const float* __restrict__ couplings) {
  const auto event = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const float4 a = jets[event], b = jets[kEvents + event], c = jets[2 * kEvents + event],
               d = jets[3 * kEvents + event];
  const float ab = square_of_mass(a, b), ac = square_of_mass(a, c), ad = square_of_mass(a, d),
              bc = square_of_mass(b, c), bd = square_of_mass(b, d), cd = square_of_mass(c, d);
  const float top = ab * ab * ab * ab + ac * ac * ac * ac + ad * ad * ad * ad + bc * bc * bc * bc +
                    bd * bd * bd * bd + cd * cd * cd * cd;
  const float orders = 1 / (ab * bc * cd * ad) + 1 / (ab * bd * cd * ac) + 1 / (ac * bc * bd * ad);
  const float least = fminf(fminf(fminf(ab, ac), fminf(ad, bc)), fminf(bd, cd));
  const float coupling = couplings[event];  // fault
  const float strong = coupling * coupling;
  weights[event] = least > kLeastMass * kLeastMass ? fminf(strong * strong * top * orders, 60000) : 0;
}

// By the mass of the first two jets; weights are counted in units, so that sums do not depend on their order.
__global__ void __launch_bounds__(kThreads)
    fill_histogram(unsigned long long* histogram, const float* __restrict__ weights,
                   const float4* __restrict__ jets) {
  __shared__ unsigned counts[kBins];
  counts[threadIdx.x] = 0;
  __syncthreads();
  for (auto event = static_cast<int>(blockIdx.x * kThreads + threadIdx.x); event < kEvents;
       event += kFillBlocks * kThreads) {
    const float mass = sqrtf(square_of_mass(jets[event], jets[kEvents + event]));
    const int bin = min(static_cast<int>(mass * (kBins / kEnergy)), kBins - 1);
    atomicAdd(&counts[bin], static_cast<unsigned>(weights[event]));
  }
  __syncthreads();
  atomicAdd(histogram + threadIdx.x, static_cast<unsigned long long>(counts[threadIdx.x]));
}

// The coupling at a scale that differs from event to event.
float* run_couplings() {
  auto* couplings = pinned_array<float>(kEvents);
  for (int event = 0; event < kEvents; ++event) {
    const float scale = 91.2F + 900 * mixed_fraction(static_cast<unsigned>(event));
    const float strong = 0.118F / (1 + 0.118F * 0.61F * 2 * std::log(scale / 91.2F));
    couplings[event] = std::sqrt(4 * 3.1415927F * strong);
  }
  return couplings;
}

struct Generator {
  float4* jets;
  float *couplings, *weights;
  unsigned long long* histogram;
  unsigned sample;
};

void generate(Generator& generator) {
  collide<<<kBlocks, kThreads>>>(generator.jets, generator.sample);
  weigh<<<kBlocks, kThreads>>>(generator.weights, generator.jets, generator.couplings);
  fill_histogram<<<kFillBlocks, kThreads>>>(generator.histogram, generator.weights, generator.jets);
  ++generator.sample;
}

Case make(bool copies) {
  const auto generator = std::make_shared<Generator>();
  *generator = {device_array<float4>(kJets * std::size_t{kEvents}), run_couplings(),
                device_array<float>(kEvents), device_array<unsigned long long>(kBins), 0};
  CHECK(cudaMemset(generator->histogram, 0, kBins * sizeof(unsigned long long)));
  if (copies) {
    auto* couplings = device_array<float>(kEvents);
    CHECK(cudaMemcpy(couplings, generator->couplings, kEvents * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaFreeHost(generator->couplings));
    generator->couplings = couplings;
  }
  return {[=] { generate(*generator); }, [=] { return device_sum(generator->histogram, kBins); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(false); }, [] { return make(true); });
}
