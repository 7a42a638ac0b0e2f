// One rank of a job of unequal work: its argument says how many launches of one kernel it makes, each the
// same.
#include "../programs/program.cuh"

namespace {

constexpr int kCount = 1 << 24;

__global__ void strided_sum(const float* in, float* out) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  out[i] = in[i] + in[static_cast<int>(8LL * i % kCount)];
}

}  // namespace

int main(int argc, char** argv) {
  const long launches = count_from(argc, argv, 100);
  float *in = nullptr, *out = nullptr;
  CHECK(cudaMalloc(&in, kCount * sizeof(float)));
  CHECK(cudaMalloc(&out, kCount * sizeof(float)));
  CHECK(cudaMemset(in, 0, kCount * sizeof(float)));
  for (long i = 0; i < launches; ++i) strided_sum<<<kCount / 256, 256>>>(in, out);
  CHECK(cudaDeviceSynchronize());
  std::printf("%ld launches\n", launches);
  return 0;
}
