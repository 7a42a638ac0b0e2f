// Energies of many conformations of a chain of 262,144 charged atoms, each with the next 1024 along the
// chain. The conformations are the host's; places and charges are together in one array of the device.
// At fault: to put new places there, the host fetches the array, waits for it, changes the places, and sends
// all of it back, charges included. The pattern is that of openmm/openmm, pull request 4945: no copy to the
// host when positions are set. Here a kernel puts the places beside the charges.
#include <array>
#include <cuda_pipeline.h>
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kAtoms = 1 << 18, kThreads = 256, kBlocks = kAtoms / kThreads, kNear = 1024;
constexpr int kTile = kThreads + kNear, kStored = 8, kConformations = 4, kRounds = 1200;
constexpr std::size_t kAtomBytes = kAtoms * sizeof(float4), kPlaceBytes = 3 * kAtoms * sizeof(float);

// The three coordinates one after the other.
struct Places {
  float *x, *y, *z;
};

Places places_in(float* all) {
  return {all, all + kAtoms, all + 2 * kAtoms};
}

// Atoms have their charges in the fourth word. What follows the last atom has none.
__global__ void __launch_bounds__(kThreads) find_energies(float* energies, const float4* atoms) {
  __shared__ float4 tile[kTile];
  const int first = static_cast<int>(blockIdx.x) * kThreads, thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < kTile; i += kThreads) {
    __pipeline_memcpy_async(tile + i, atoms + first + i, sizeof(float4));
  }
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  const float4 own = tile[thread];
  float sum = 0;
#pragma unroll 8
  for (int i = 1; i <= kNear; ++i) {
    const float4 other = tile[thread + i];
    const float x = own.x - other.x, y = own.y - other.y, z = own.z - other.z;
    sum += other.w * rsqrtf(x * x + y * y + z * z + 0.01F);
  }
  energies[first + thread] += own.w * sum;
}

__global__ void __launch_bounds__(kThreads) set_places(float4* atoms, Places places) {
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  atoms[i] = make_float4(places.x[i], places.y[i], places.z[i], atoms[i].w);
}

__global__ void set_charges(float4* atoms) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  atoms[i] = make_float4(0, 0, 0, i < kAtoms ? mixed_fraction(i) : 0);
}

struct Workplace {
  float4 *atoms, *host_atoms;
  float* energies;
  std::array<float*, kStored> conformations;  // the host's
  std::array<float*, 2> coming;               // on the device
  std::array<cudaEvent_t, 2> sent, taken;
  cudaStream_t compute, copy;
};

void set_by_host(const Workplace& work, const float* conformation) {
  float4* host = work.host_atoms;
  CHECK(cudaMemcpyAsync(host, work.atoms, kAtomBytes, cudaMemcpyDeviceToHost, work.compute));  // fault
  CHECK(cudaStreamSynchronize(work.compute));                                                  // fault
  for (int i = 0; i < kAtoms; ++i) {
    host[i].x = conformation[i];
    host[i].y = conformation[kAtoms + i];
    host[i].z = conformation[2 * kAtoms + i];
  }
  CHECK(cudaMemcpyAsync(work.atoms, host, kAtomBytes, cudaMemcpyHostToDevice, work.compute));  // fault
}

// The next places come beside the energies of those before.
void set_by_device(const Workplace& work, const float* conformation, unsigned slot) {
  CHECK(cudaStreamWaitEvent(work.copy, work.taken[slot]));
  CHECK(cudaMemcpyAsync(work.coming[slot], conformation, kPlaceBytes, cudaMemcpyHostToDevice, work.copy));
  CHECK(cudaEventRecord(work.sent[slot], work.copy));
  CHECK(cudaStreamWaitEvent(work.compute, work.sent[slot]));
  set_places<<<kBlocks, kThreads, 0, work.compute>>>(work.atoms, places_in(work.coming[slot]));
  CHECK(cudaEventRecord(work.taken[slot], work.compute));
}

// A chain that winds its way, otherwise in each conformation.
float* made_conformation(unsigned number) {
  auto* all = pinned_array<float>(std::size_t{3} * kAtoms);
  const Places places = places_in(all);
  for (unsigned i = 0; i < kAtoms; ++i) {
    const float turn = 0.1F * static_cast<float>(i % 65536) + static_cast<float>(number);
    places.x[i] = 4 * std::cos(turn) + mixed_fraction(3 * i + number);
    places.y[i] = 4 * std::sin(turn) + mixed_fraction(3 * i + number + 1);
    places.z[i] = 0.02F * static_cast<float>(i % 65536) + mixed_fraction(3 * i + number + 2);
  }
  return all;
}

cudaEvent_t made_event() {
  cudaEvent_t event = nullptr;
  CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  return event;
}

Workplace made_workplace() {
  Workplace work{};
  constexpr int kPadded = kAtoms + kNear;
  work.atoms = device_array<float4>(kPadded);
  work.host_atoms = pinned_array<float4>(kAtoms);
  work.energies = device_array<float>(kAtoms);
  set_charges<<<kPadded / kThreads, kThreads>>>(work.atoms);
  CHECK(cudaGetLastError());
  CHECK(cudaMemset(work.energies, 0, kAtoms * sizeof(float)));
  for (unsigned i = 0; i < kStored; ++i) work.conformations[i] = made_conformation(i);
  for (int slot = 0; slot < 2; ++slot) {
    work.coming[slot] = device_array<float>(std::size_t{3} * kAtoms);
    work.sent[slot] = made_event();
    work.taken[slot] = made_event();
  }
  CHECK(cudaStreamCreateWithFlags(&work.compute, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&work.copy, cudaStreamNonBlocking));
  CHECK(cudaDeviceSynchronize());
  return work;
}

Case make(bool by_host) {
  const Workplace work = made_workplace();
  auto number = std::make_shared<unsigned>(0);
  return {[=] {
            for (int i = 0; i < kConformations; ++i, ++*number) {
              float* conformation = work.conformations[*number % kStored];
              const unsigned slot = *number % 2;
              // Some atoms are elsewhere when a conformation comes again.
              CHECK(cudaEventSynchronize(work.sent[slot]));
              for (unsigned atom = *number % 1024; atom < kAtoms; atom += 1024) {
                conformation[atom] = 8 * mixed_fraction(atom + *number) - 4;
              }
              if (by_host) {
                set_by_host(work, conformation);
              } else {
                set_by_device(work, conformation, slot);
              }
              find_energies<<<kBlocks, kThreads, 0, work.compute>>>(work.energies, work.atoms);
            }
          },
          [=] {
            CHECK(cudaDeviceSynchronize());
            return device_sum(work.energies, kAtoms);
          },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
