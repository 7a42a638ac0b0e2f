// A program that does little but move memory, as many do: each round copies, adds, transposes badly, gathers
// and sums arrays of 256 MiB. Prints the time of its rounds as one line of JSON. The number of rounds is
// given, not a time: a program that stopped by the clock would never look slower.
#include <vector>

#include "program.cuh"

namespace {

constexpr unsigned kSide = 8192;
constexpr unsigned kElements = kSide * kSide;
constexpr unsigned kBlock = 256;
constexpr unsigned kValues = 1024;  // sums of a few of these are exact in a float
constexpr unsigned kStep = 40503;   // odd, so that multiples of it reach every element

unsigned __host__ __device__ index_of(unsigned i) {
  return (i * kStep + 1) % kElements;
}

__global__ void fill(float* a, unsigned* index) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = static_cast<float>(i % kValues);
  index[i] = index_of(i);
}

__global__ void copy(const float* a, float* b) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] = a[i];
}

__global__ void triad(const float* a, const float* b, float* c) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  c[i] = b[i] + 2.0F * a[i];
}

__global__ void transpose(const float* c, float* d) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned y = blockIdx.y;
  d[x * kSide + y] = c[y * kSide + x];
}

__global__ void gather(const float* d, const unsigned* index, float* b) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] = d[index[i]];
}

__global__ void add_up(const float* b, unsigned long long* total) {
  unsigned long long sum = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < kElements; i += gridDim.x * blockDim.x)
    sum += static_cast<unsigned long long>(b[i]);
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(0xFFFFFFFF, sum, lanes);
  if (threadIdx.x % 32 == 0) atomicAdd(total, sum);
}

struct Arrays {
  float *a, *b, *c, *d;
  unsigned* index;
  unsigned long long* total;
};

void run_round(const Arrays& arrays) {
  copy<<<kElements / kBlock, kBlock>>>(arrays.a, arrays.b);
  triad<<<kElements / kBlock, kBlock>>>(arrays.a, arrays.b, arrays.c);
  transpose<<<dim3(kSide / kBlock, kSide), kBlock>>>(arrays.c, arrays.d);
  gather<<<kElements / kBlock, kBlock>>>(arrays.d, arrays.index, arrays.b);
  add_up<<<1024, kBlock>>>(arrays.b, arrays.total);
}

// Every element of the last round, and the sum over all rounds.
bool right(const Arrays& arrays, long rounds) {
  std::vector<float> gathered(kElements);
  unsigned long long total = 0;
  CHECK(cudaMemcpy(gathered.data(), arrays.b, kElements * sizeof(float), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(&total, arrays.total, sizeof total, cudaMemcpyDeviceToHost));
  unsigned long long expected = 0;
  for (unsigned i = 0; i < kElements; ++i) {
    const unsigned transposed = index_of(i);
    const unsigned source = transposed % kSide * kSide + transposed / kSide;
    const unsigned value = 3 * (source % kValues);
    if (gathered[i] != static_cast<float>(value)) return false;
    expected += value;
  }
  return total == expected * static_cast<unsigned long long>(rounds);
}

}  // namespace

int main(int argc, char** argv) {
  const long rounds = count_from(argc, argv, 1000);
  Arrays arrays{};
  for (float** array : {&arrays.a, &arrays.b, &arrays.c, &arrays.d})
    CHECK(cudaMalloc(array, kElements * sizeof(float)));
  CHECK(cudaMalloc(&arrays.index, kElements * sizeof(unsigned)));
  CHECK(cudaMalloc(&arrays.total, sizeof(unsigned long long)));
  CHECK(cudaMemset(arrays.total, 0, sizeof(unsigned long long)));
  fill<<<kElements / kBlock, kBlock>>>(arrays.a, arrays.index);
  CHECK(cudaDeviceSynchronize());

  const std::int64_t began_ns = now_ns();
  for (long round = 0; round < rounds; ++round) run_round(arrays);
  CHECK(cudaDeviceSynchronize());
  const std::int64_t loop_ns = now_ns() - began_ns;

  const bool all_right = right(arrays, rounds);
  std::printf("{\"rounds\": %ld, \"loop_ns\": %lld, \"right\": %s}\n", rounds,
              static_cast<long long>(loop_ns), all_right ? "true" : "false");
  return all_right ? 0 : 1;
}
