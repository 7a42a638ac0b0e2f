// The index of a genome: the smallest hash of eight neighbouring words of 16 bases, at 8 million places,
// copied to the host.
// At fault: the host's 32 MB are pinned before each copy and unpinned after it. The pattern is that of
// NVIDIA-Genomics-Research/GenomeWorks, whose pull request 481 finds that slower than ordinary memory.
#include "../case.cuh"

namespace {

constexpr int kPlaces = 8 << 20, kWindow = 8, kThreads = 256, kRounds = 200;
constexpr int kGenomeWords = kPlaces / 16 + 2;
constexpr std::size_t kBytes = std::size_t{kPlaces} * sizeof(unsigned);

__global__ void smallest_hashes(unsigned* out, const unsigned* genome) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), at = i / 16;
  const unsigned long long low = genome[at] | static_cast<unsigned long long>(genome[at + 1]) << 32;
  const unsigned long long high = genome[at + 1] | static_cast<unsigned long long>(genome[at + 2]) << 32;
  unsigned smallest = 0xffffffffU;
#pragma unroll
  for (int k = 0; k < kWindow; ++k) {
    const int base = i % 16 + k;
    const auto bases = static_cast<unsigned>(base < 16 ? low >> (2 * base) : high >> (2 * (base - 16)));
    smallest = min(smallest, mixed_bits(bases));
  }
  out[i] = smallest;
}

unsigned* ordinary_array() {
  auto* host = static_cast<unsigned*>(std::aligned_alloc(4096, kBytes));
  std::memset(host, 0, kBytes);
  return host;
}

void pin(unsigned* host) {
  CHECK(cudaHostRegister(host, kBytes, cudaHostRegisterDefault));  // fault
}

void unpin(unsigned* host) {
  CHECK(cudaHostUnregister(host));  // fault
}

Case make(bool pins_each_time) {
  auto* genome = device_array<unsigned>(kGenomeWords);
  auto* out = device_array<unsigned>(kPlaces);
  unsigned* host = ordinary_array();
  fill_below(genome, kGenomeWords, 0xffffffffU, 1);
  if (!pins_each_time) pin(host);
  return {[=] {
            smallest_hashes<<<kPlaces / kThreads, kThreads>>>(out, genome);
            if (pins_each_time) pin(host);  // fault
            CHECK(cudaMemcpyAsync(host, out, kBytes, cudaMemcpyDeviceToHost));
            CHECK(cudaStreamSynchronize(nullptr));
            if (pins_each_time) unpin(host);  // fault
          },
          [=] {
            double sum = 0;
            for (int i = 0; i < kPlaces; ++i) sum += host[i];
            return sum;
          },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
