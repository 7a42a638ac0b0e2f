// Neutrons, 1,048,576 of them, from event to event: queued by material and energy, so that neighbours in the
// queue look up the same cross sections of nuclides.
// At fault: the queue is copied to the host, sorted there and copied back, while the GPU idles. The pattern
// is that of exasmr/openmc, pull request 18: queues sorted on the device, 1.4 times the particles a second of
// the whole run. Here the sort is that of CUB.
#include <cub/device/device_radix_sort.cuh>
#include <memory>
#include <vector>

#include "../case.cuh"

namespace {

constexpr int kNeutrons = 1 << 20, kThreads = 256, kMaterials = 12, kEnergyBits = 8, kRounds = 500;
constexpr int kNuclides = 96, kPoints = 8192, kOfMaterial = 64, kKeyBits = kEnergyBits + 4;

struct Neutrons {
  float* lethargy;  // at least 0 and less than 1
  float* weight;
  float* total;  // cross section
  float* track;  // what has been counted
  unsigned char* material;
};

struct Queue {
  unsigned* keys;
  unsigned* numbers;
};

__device__ float lethargy_after(float before, unsigned seed) {
  return fminf(0.4F * before + 0.6F * mixed_fraction(seed), 0.999999F);
}

__global__ void enqueue(Queue queue, Neutrons neutrons) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const auto level = static_cast<unsigned>(neutrons.lethargy[i] * (1 << kEnergyBits));
  queue.keys[i] = static_cast<unsigned>(neutrons.material[i]) << kEnergyBits | level;
  queue.numbers[i] = i;
}

// Four reactions at a point of a nuclide.
__global__ void look_up(Neutrons neutrons, const unsigned* numbers, const float4* __restrict__ tables) {
  const unsigned i = numbers[blockIdx.x * blockDim.x + threadIdx.x];
  const int material = neutrons.material[i];
  const float place = neutrons.lethargy[i] * (kPoints - 1);
  const int point = static_cast<int>(place);
  const float part = place - static_cast<float>(point);
  float total = 0;
#pragma unroll 4
  for (int own = 0; own < kOfMaterial; ++own) {
    const int nuclide = (material * 8 + own) % kNuclides;
    const float4 *table = tables + nuclide * kPoints + point, low = table[0], high = table[1];
    const float one = low.x + low.y + low.z + low.w, two = high.x + high.y + high.z + high.w;
    total += one + part * (two - one);
  }
  neutrons.total[i] = total / (4 * kOfMaterial);
}

__global__ void collide(Neutrons neutrons, unsigned event) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, seed = i * 2654435761U + event * 40503U;
  const float total = neutrons.total[i], weight = neutrons.weight[i];
  neutrons.track[i] += weight * total;
  neutrons.weight[i] = fmaxf(0.1F, weight * (1 - 0.01F * total));
  neutrons.lethargy[i] = lethargy_after(neutrons.lethargy[i], seed);
  neutrons.material[i] = static_cast<unsigned char>(mixed_bits(seed + 77) % kMaterials);
}

// Counts the keys and places the numbers, as they come.
void sort_on_host(unsigned* sorted, const Queue& queue, std::vector<unsigned>& starts) {
  starts.assign((1U << kKeyBits) + 1, 0);
  for (int i = 0; i < kNeutrons; ++i) ++starts[queue.keys[i] + 1];
  for (unsigned key = 0; key < 1U << kKeyBits; ++key) starts[key + 1] += starts[key];
  for (int i = 0; i < kNeutrons; ++i) sorted[starts[queue.keys[i]]++] = queue.numbers[i];
}

template <class Allocate>
Queue made_queue(Allocate allocate) {
  return {allocate(), allocate()};
}

struct Scratch {
  void* memory;
  std::size_t bytes;
};

void sort_on_device(const Scratch& scratch, const Queue& to, const Queue& from) {
  std::size_t bytes = scratch.bytes;
  CHECK(cub::DeviceRadixSort::SortPairs(scratch.memory, bytes, from.keys, to.keys, from.numbers, to.numbers,
                                        kNeutrons, 0, kKeyBits));
}

Neutrons made_neutrons() {
  const Neutrons made{device_array<float>(kNeutrons), device_array<float>(kNeutrons),
                      device_array<float>(kNeutrons), device_array<float>(kNeutrons),
                      device_array<unsigned char>(kNeutrons)};
  fill_fractions(made.lethargy, kNeutrons, 1);
  fill_fractions(made.weight, kNeutrons, 2);
  fill_below(made.material, kNeutrons, kMaterials, 3);
  CHECK(cudaMemset(made.track, 0, kNeutrons * sizeof(float)));
  return made;
}

Case make(bool on_host) {
  const Neutrons neutrons = made_neutrons();
  auto* tables = device_array<float4>(std::size_t{kNuclides} * kPoints);
  fill_fractions(reinterpret_cast<float*>(tables), std::size_t{4} * kNuclides * kPoints, 4);
  const auto of_device = [] { return device_array<unsigned>(kNeutrons); };
  const auto of_host = [] { return pinned_array<unsigned>(kNeutrons); };
  const Queue queue = made_queue(of_device), sorted = made_queue(of_device);
  const Queue copied = on_host ? made_queue(of_host) : Queue{};
  unsigned* ordered = on_host ? of_host() : nullptr;
  Scratch scratch{};
  if (!on_host) {
    CHECK(cub::DeviceRadixSort::SortPairs(nullptr, scratch.bytes, queue.keys, sorted.keys, queue.numbers,
                                          sorted.numbers, kNeutrons, 0, kKeyBits));
    scratch.memory = device_array<char>(scratch.bytes);
  }
  auto starts = std::make_shared<std::vector<unsigned>>();
  auto event = std::make_shared<unsigned>(0);
  return {[=] {
            constexpr int kBlocks = kNeutrons / kThreads;
            constexpr std::size_t kBytes = kNeutrons * sizeof(unsigned);
            enqueue<<<kBlocks, kThreads>>>(queue, neutrons);
            if (on_host) {
              CHECK(cudaMemcpyAsync(copied.keys, queue.keys, kBytes, cudaMemcpyDeviceToHost));        // fault
              CHECK(cudaMemcpyAsync(copied.numbers, queue.numbers, kBytes, cudaMemcpyDeviceToHost));  // fault
              CHECK(cudaStreamSynchronize(nullptr));                                                  // fault
              sort_on_host(ordered, copied, *starts);
              CHECK(cudaMemcpyAsync(sorted.numbers, ordered, kBytes, cudaMemcpyHostToDevice));  // fault
            } else {
              sort_on_device(scratch, sorted, queue);
            }
            look_up<<<kBlocks, kThreads>>>(neutrons, sorted.numbers, tables);
            collide<<<kBlocks, kThreads>>>(neutrons, (*event)++);
          },
          [=] { return device_sum(neutrons.track, kNeutrons); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
