// Ten kernels, each of which does two or three things, told apart by nothing but their parameters; one that
// does two things in a graph only; two that always do the same though their parameters change; and one that
// does what its data say, so that nothing tells its launches apart.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "work.cuh"

namespace {

constexpr int kBlock = 256;
constexpr int kSide = 1024;  // of a matrix
constexpr int kCount = kSide * kSide;
constexpr int kBlocks = kCount / kBlock;
constexpr int kRounds = 120;

struct Strides {
  int row, column;
};
struct Options {
  float scale;
  bool across;
};

__device__ int index() {
  return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}

// Three: neighbours, every 4th, every 32nd.
__global__ void by_stride(const float* in, float* out, int stride) {
  const int i = index();
  out[i] = in[static_cast<int>(static_cast<long long>(i) * stride % kCount)];
}

// Two: in memory's order, or across it.
__global__ void by_order(const float* in, float* out, Strides strides) {
  const int i = index();
  out[i] = in[i / kSide * strides.row + i % kSide * strides.column];
}

// Two: the GPU's memory or the host's.
__global__ void by_memory(const float* in, float* out) {
  out[index()] = in[index()];
}

// Two: what the index says.
__global__ void by_index(const float* in, const int* at, float* out) {
  out[index()] = in[at[index()]];
}

// Two: from a sector's beginning or not.
__global__ void by_offset(const float* in, float* out, int offset) {
  out[index()] = in[index() + offset];
}

// Two: one byte of a structure.
__global__ void by_option(const float* in, float* out, Options options) {
  const int i = index();
  out[options.across ? i % kSide * kSide + i / kSide : i] = options.scale * in[i];
}

// Two: all of it or a sixteenth.
__global__ void by_size(const float* in, float* out, int count) {
  if (index() < count) out[index()] = in[index()];
}

// Two, with a counter and a factor that are new each time.
__global__ void by_stride_and_more(const float* in, float* out, int step, float factor, int stride) {
  const int i = index();
  out[i] =
      factor * in[static_cast<int>(static_cast<long long>(i) * stride % kCount)] + static_cast<float>(step);
}

// Three: what is read across, what is written across.
__global__ void by_two_orders(const float* in, float* out, Strides from, Strides to) {
  const int row = index() / kSide, column = index() % kSide;
  out[row * to.row + column * to.column] = in[row * from.row + column * from.column];
}

// Two: the host's memory now and then, among many buffers.
__global__ void by_one_of_many(const float* in, float* out) {
  out[index()] = 2.0F * in[index()];
}

// One, though its parameters change.
__global__ void always_the_same(const float* in, float* out, int step, float factor) {
  out[index()] = factor * in[index()] + static_cast<float>(step);
}

// One, of few parameters.
__global__ void always_the_same_of_two(const float* in, float* out, float factor) {
  out[index()] = factor * in[index()];
}

// Two, in a graph.
__global__ void in_graph(const float* in, float* out, int stride) {
  const int i = index();
  out[i] = in[static_cast<int>(static_cast<long long>(i) * stride % kCount)];
}

// What the data say.
__global__ void by_data(const float* in, const int* stride, float* out) {
  const int i = index();
  out[i] = in[static_cast<int>(static_cast<long long>(i) * *stride % kCount)];
}

float* on_device(std::size_t count) {
  float* memory = nullptr;
  CHECK(cudaMalloc(&memory, count * sizeof(float)));
  CHECK(cudaMemset(memory, 0, count * sizeof(float)));
  return memory;
}

float* on_host(std::size_t count) {
  float* memory = nullptr;
  CHECK(cudaHostAlloc(&memory, count * sizeof(float), cudaHostAllocMapped));
  std::memset(memory, 0, count * sizeof(float));
  return memory;
}

int* index_list(bool shuffled) {
  std::vector<int> list(kCount);
  std::iota(list.begin(), list.end(), 0);
  if (shuffled) std::shuffle(list.begin(), list.end(), std::mt19937(7));
  int* memory = nullptr;
  CHECK(cudaMalloc(&memory, kCount * sizeof(int)));
  CHECK(cudaMemcpy(memory, list.data(), kCount * sizeof(int), cudaMemcpyHostToDevice));
  return memory;
}

}  // namespace

int main() {
  float* const in = on_device(kCount + 64);
  float* const out = on_device(kCount);
  float* const host = on_host(kCount);
  int* const sorted = index_list(false);
  int* const shuffled = index_list(true);
  std::vector<float*> many;
  for (int i = 0; i < 12; ++i) many.push_back(on_device(kCount));
  const Strides rows{kSide, 1}, columns{1, kSide};

  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreate(&stream));
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (const int stride : {1, 16, 1}) in_graph<<<kBlocks, kBlock, 0, stream>>>(in, out, stride);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  int* stride = nullptr;
  CHECK(cudaMalloc(&stride, sizeof(int)));

  for (int i = 0; i < kRounds; ++i) {
    const int third = i % 3;
    const bool often = i % 4 != 0;
    by_stride<<<kBlocks, kBlock>>>(in, out, third == 0 ? 1 : third == 1 ? 4 : 32);
    by_order<<<kBlocks, kBlock>>>(in, out, often ? rows : columns);
    by_memory<<<kBlocks, kBlock>>>(often ? in : host, out);
    by_index<<<kBlocks, kBlock>>>(in, often ? sorted : shuffled, out);
    by_offset<<<kBlocks, kBlock>>>(in, out, often ? 0 : 1);
    by_option<<<kBlocks, kBlock>>>(in, out, {2.0F, !often});
    by_size<<<kBlocks, kBlock>>>(in, out, often ? kCount : kCount / 16);
    by_stride_and_more<<<kBlocks, kBlock>>>(in, out, i, 0.5F * static_cast<float>(i), often ? 1 : 16);
    by_two_orders<<<kBlocks, kBlock>>>(in, out, third == 1 ? columns : rows, third == 2 ? columns : rows);
    by_one_of_many<<<kBlocks, kBlock>>>(often ? many[static_cast<std::size_t>(i) % many.size()] : host, out);
    always_the_same<<<kBlocks, kBlock>>>(in, out, i, 0.5F * static_cast<float>(i));
    always_the_same_of_two<<<kBlocks, kBlock>>>(often ? in : many[0], out, often ? 1.0F : 2.0F);
    const int says = often ? 1 : 8;
    CHECK(cudaMemcpy(stride, &says, sizeof says, cudaMemcpyHostToDevice));
    by_data<<<kBlocks, kBlock>>>(in, stride, out);
    CHECK(cudaGraphLaunch(executable, stream));
    CHECK(cudaStreamSynchronize(stream));
  }
  CHECK(cudaDeviceSynchronize());
  std::printf("%d rounds\n", kRounds);
}
