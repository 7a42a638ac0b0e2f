// Flow on a lattice of 2048 x 1024 places with nine directions, ten steps a round. The host keeps how fast
// the flow is at 64 probes.
// At fault: the speeds are in managed memory, which the host reads in each round, so that their pages go to
// the host and come back when the kernel writes speeds again. The pattern is that of
// Geoenergia-Lab/HermiteLBM, pull request 31: memory of the device again, as managed memory causes
// page faults. Here a small kernel gathers the probes, and a copy brings them a round later.
#include <array>
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kAcross = 2048, kDown = 1024, kThreads = 256, kSteps = 10, kProbes = 64, kRounds = 1500;
constexpr int kDirections = 9, kPlaces = kAcross * kDown;
constexpr float kRelax = 1.6F;

struct Lattice {
  float* parts;  // nine planes
  float* next;
  float* speeds;  // along x, of the last step of a round
};

struct Moments {
  float density, across, down;
};

__device__ constexpr int kX[kDirections] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__device__ constexpr int kY[kDirections] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__device__ constexpr float kShare[kDirections] = {4 / 9.0F,  1 / 9.0F,  1 / 9.0F,  1 / 9.0F, 1 / 9.0F,
                                                  1 / 36.0F, 1 / 36.0F, 1 / 36.0F, 1 / 36.0F};

__device__ float balanced(int direction, const Moments& m) {
  const float along = 3 * (kX[direction] * m.across + kY[direction] * m.down);
  const float square = 1.5F * (m.across * m.across + m.down * m.down);
  return kShare[direction] * m.density * (1 + along + 0.5F * along * along - square);
}

__device__ Moments moments_of(const float (&parts)[kDirections]) {
  Moments m{};
#pragma unroll
  for (int i = 0; i < kDirections; ++i) {
    m.density += parts[i];
    m.across += kX[i] * parts[i];
    m.down += kY[i] * parts[i];
  }
  m.across /= m.density;
  m.down /= m.density;
  return m;
}

// Pulls the parts from the neighbours; the lattice goes round.
template <bool kLast>
__global__ void __launch_bounds__(kThreads)
    stream_and_collide(float* __restrict__ next, const float* __restrict__ parts, float* speeds) {
  const int x = static_cast<int>(blockIdx.x * kThreads + threadIdx.x), y = static_cast<int>(blockIdx.y);
  float own[kDirections];
#pragma unroll
  for (int i = 0; i < kDirections; ++i) {
    const int from = (y - kY[i] + kDown) % kDown * kAcross + (x - kX[i] + kAcross) % kAcross;
    own[i] = parts[i * kPlaces + from];
  }
  const Moments m = moments_of(own);
  const int place = y * kAcross + x;
#pragma unroll
  for (int i = 0; i < kDirections; ++i)
    next[i * kPlaces + place] = own[i] + kRelax * (balanced(i, m) - own[i]);
  if (kLast) speeds[place] = m.across;  // fault
}

__global__ void begin(float* parts) {
  const int x = static_cast<int>(blockIdx.x * kThreads + threadIdx.x), y = static_cast<int>(blockIdx.y);
  const float turn = 6.2831853F / kDown;
  const Moments m{1, 0.05F + 0.03F * __sinf(turn * y), 0.02F * __sinf(turn * x)};
  for (int i = 0; i < kDirections; ++i) parts[i * kPlaces + y * kAcross + x] = balanced(i, m);
}

// Along a diagonal.
__host__ __device__ int place_of(int probe) {
  return (probe * (kDown / kProbes) + 5) * kAcross + probe * (kAcross / kProbes) + 11;
}

__global__ void gather_probes(float* found, const float* speeds) {
  found[threadIdx.x] = speeds[place_of(static_cast<int>(threadIdx.x))];
}

struct Readings {
  float *device, *host;
  cudaEvent_t copied;
};

double added(const float* readings) {
  double sum = 0;
  for (int probe = 0; probe < kProbes; ++probe) sum += readings[probe];
  return sum;
}

void step_on(const Lattice& lattice, cudaStream_t stream) {
  const dim3 blocks(kAcross / kThreads, kDown);
  for (int step = 0; step < kSteps; step += 2) {
    stream_and_collide<false><<<blocks, kThreads, 0, stream>>>(lattice.next, lattice.parts, lattice.speeds);
    if (step + 2 < kSteps) {
      stream_and_collide<false><<<blocks, kThreads, 0, stream>>>(lattice.parts, lattice.next, lattice.speeds);
    } else {
      stream_and_collide<true><<<blocks, kThreads, 0, stream>>>(lattice.parts, lattice.next, lattice.speeds);
    }
  }
}

Lattice made_lattice(bool managed, cudaStream_t stream) {
  constexpr std::size_t kParts = std::size_t{kDirections} * kPlaces;
  Lattice lattice{device_array<float>(kParts), device_array<float>(kParts), nullptr};
  if (managed) {
    CHECK(cudaMallocManaged(&lattice.speeds, kPlaces * sizeof(float)));  // fault
  } else {
    lattice.speeds = device_array<float>(kPlaces);
  }
  begin<<<dim3(kAcross / kThreads, kDown), kThreads, 0, stream>>>(lattice.parts);
  CHECK(cudaGetLastError());
  return lattice;
}

double sum_of(const Lattice& lattice, double told) {
  return device_sum(lattice.parts, kPlaces) + told;
}

Case make_managed() {
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const Lattice lattice = made_lattice(true, stream);
  auto told = std::make_shared<double>(0);
  return {[=] {
            step_on(lattice, stream);
            CHECK(cudaStreamSynchronize(stream));
            std::array<float, kProbes> found{};
            for (int probe = 0; probe < kProbes; ++probe)
              found[probe] = lattice.speeds[place_of(probe)];  // fault
            *told += added(found.data());
          },
          [=] {
            CHECK(cudaStreamSynchronize(stream));
            return sum_of(lattice, *told);
          },
          kRounds};
}

Case make_gathered() {
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const Lattice lattice = made_lattice(false, stream);
  std::array<Readings, 2> readings{};
  for (Readings& own : readings) {
    own = {device_array<float>(kProbes), pinned_array<float>(kProbes), nullptr};
    std::fill_n(own.host, kProbes, 0.0F);
    CHECK(cudaEventCreateWithFlags(&own.copied, cudaEventDisableTiming));
  }
  auto told = std::make_shared<double>(0);
  auto number = std::make_shared<unsigned>(0);
  return {
      [=] {
        const Readings &own = readings[*number % 2], &before = readings[(*number + 1) % 2];
        step_on(lattice, stream);
        gather_probes<<<1, kProbes, 0, stream>>>(own.device, lattice.speeds);
        CHECK(cudaMemcpyAsync(own.host, own.device, kProbes * sizeof(float), cudaMemcpyDeviceToHost, stream));
        CHECK(cudaEventRecord(own.copied, stream));
        CHECK(cudaEventSynchronize(before.copied));
        *told += added(before.host);
        ++*number;
      },
      [=] {
        CHECK(cudaStreamSynchronize(stream));
        return sum_of(lattice, *told + added(readings[(*number + 1) % 2].host));
      },
      kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, make_managed, make_gathered);
}
