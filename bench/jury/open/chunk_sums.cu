// Sums of 32 neighbouring counts each: minutes to half-hours.
// Fault: a thread goes through its own 32 words. Repair: eight lanes read one sum's words, 16 bytes each.
#include "../case.cuh"

namespace {

constexpr unsigned kEach = 32;
constexpr std::size_t kSums = std::size_t{1} << 21;

__global__ void sums_by_threads(const int* counts, int* sums, unsigned n) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  int sum = 0;
  for (unsigned k = 0; k < kEach; ++k) sum += counts[t * kEach + k];  // fault
  sums[t] = sum;
}

// n is a multiple of four, so that warps are whole.
__global__ void sums_by_lanes(const int4* counts, int* sums, unsigned n) {
  constexpr unsigned kLanes = kEach / 4;
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n * kLanes) return;
  const int4 four = counts[t];
  int sum = four.x + four.y + four.z + four.w;
  for (unsigned other = kLanes / 2; other > 0; other /= 2)
    sum += __shfl_down_sync(0xffffffffU, sum, other, kLanes);
  if (t % kLanes == 0) sums[t / kLanes] = sum;
}

int* counts_of_a_year() {
  int* counts = device_array<int>(kSums * kEach);
  fill_below(counts, kSums * kEach, 100, 5);
  return counts;
}

Case fault() {
  const int* counts = counts_of_a_year();
  int* sums = device_array<int>(kSums);
  return {[=] { sums_by_threads<<<blocks_for(kSums, 256), 256>>>(counts, sums, kSums); },
          [=] { return device_sum(sums, kSums); }, 1600};
}

Case clean() {
  const int4* counts = reinterpret_cast<const int4*>(counts_of_a_year());
  int* sums = device_array<int>(kSums);
  return {[=] { sums_by_lanes<<<blocks_for(kSums * 8, 256), 256>>>(counts, sums, kSums); },
          [=] { return device_sum(sums, kSums); }, 1600};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, fault, clean);
}
