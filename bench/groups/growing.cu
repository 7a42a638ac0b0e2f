// Three kernels in turn: a copy, a transposed read and a sum with atomics. The second argument makes the copy
// move so many per cent more bytes, in the same grid: what `bench/run --only diff` must find.
#include <vector>

#include "../programs/program.cuh"

namespace {

constexpr long kWords = 4 << 20;
constexpr int kSide = 2048;
constexpr unsigned kBlocks = 1024, kThreads = 256;

__global__ void copy(const float* in, float* out, long words) {
  const long step = static_cast<long>(gridDim.x) * blockDim.x;
  for (long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x; i < words; i += step)
    out[i] = in[i];
}

__global__ void turn(const float* in, float* out) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  out[i] = in[i % kSide * kSide + i / kSide];
}

__global__ void add_up(const float* in, float* sum, long words) {
  const long step = static_cast<long>(gridDim.x) * blockDim.x;
  float own = 0;
  for (long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x; i < words; i += step) own += in[i];
  atomicAdd(sum, own);
}

}  // namespace

int main(int argc, char** argv) {
  const long steps = count_from(argc, argv, 300);
  const long more = argc > 2 ? std::strtol(argv[2], nullptr, 10) : 0;
  const long moved = kWords * (100 + more) / 100;
  std::vector<float> host(2 * kWords, 1);
  float *in = nullptr, *out = nullptr;
  CHECK(cudaMalloc(&in, host.size() * sizeof(float)));
  CHECK(cudaMalloc(&out, host.size() * sizeof(float)));
  for (long step = 0; step < steps; ++step) {
    if (step % 10 == 0) CHECK(cudaMemcpy(in, host.data(), kWords * sizeof(float), cudaMemcpyHostToDevice));
    copy<<<kBlocks, kThreads>>>(in, out, moved);
    turn<<<kSide * kSide / kThreads, kThreads>>>(out, in);
    add_up<<<kBlocks, kThreads>>>(in, out, kWords);
  }
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), in, kWords * sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("first %.1f\n", static_cast<double>(host[0]));
}
