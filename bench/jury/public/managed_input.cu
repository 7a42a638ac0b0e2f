// The host writes 16 MB each round, which a kernel then reads.
// At fault: they lie in managed memory, so that the kernel faults for each group of pages, and the host for
// them again. The pattern is that of zjin-lcf/HeCBench, src/prefetch-cuda/main.cu, where the host writes what
// a kernel reads; the repair here is a copy from pinned memory.
#include <array>

#include "../case.cuh"

namespace {

constexpr int kWords = 4 << 20, kThreads = 256;
constexpr std::size_t kBytes = kWords * sizeof(float);
constexpr int kRounds = 60;

__global__ void add_input(float* out, const float* in, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) out[i] = 0.5F * out[i] + in[i];  // fault
}

__global__ void add_uploaded(float* out, const float* in, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) out[i] = 0.5F * out[i] + in[i];
}

void write_input(float* in) {
  for (int i = 0; i < kWords; ++i) in[i] = static_cast<float>(i % 512) / 512;
}

float* zeros() {
  auto* made = device_array<float>(kWords);
  CHECK(cudaMemset(made, 0, kBytes));
  return made;
}

Case managed() {
  float* in = nullptr;
  CHECK(cudaMallocManaged(&in, kBytes));
  float* out = zeros();
  return {[=] {
            write_input(in);
            add_input<<<blocks_for(kWords, kThreads), kThreads>>>(out, in, kWords);
            CHECK(cudaDeviceSynchronize());
          },
          [=] { return device_sum(out, kWords); }, kRounds};
}

// The host writes one buffer while the GPU works on the other.
struct Upload {
  float *host, *device;
  cudaEvent_t read;
};

Case uploaded() {
  std::array<Upload, 2> uploads{};
  for (Upload& upload : uploads) {
    upload.host = pinned_array<float>(kWords);
    upload.device = device_array<float>(kWords);
    CHECK(cudaEventCreateWithFlags(&upload.read, cudaEventDisableTiming));
  }
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  float* out = zeros();
  CHECK(cudaDeviceSynchronize());
  return {[=, number = std::size_t{0}]() mutable {
            const Upload& upload = uploads[number++ % uploads.size()];
            CHECK(cudaEventSynchronize(upload.read));
            write_input(upload.host);
            CHECK(cudaMemcpyAsync(upload.device, upload.host, kBytes, cudaMemcpyHostToDevice, stream));
            CHECK(cudaEventRecord(upload.read, stream));
            add_uploaded<<<blocks_for(kWords, kThreads), kThreads, 0, stream>>>(out, upload.device, kWords);
          },
          [=] { return device_sum(out, kWords); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, managed, uploaded);
}
