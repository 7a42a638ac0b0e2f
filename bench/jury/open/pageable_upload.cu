// Uploads a batch each round and normalises it.
// Fault: the batch lies in ordinary memory. Repair: in pinned memory.
#include <memory>
#include <vector>

#include "../case.cuh"

namespace {

constexpr unsigned kCount = 1U << 21;

__global__ void normalise(const float* in, float* out, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = (in[i] - 0.5F) * 3.46F + 1;
}

void fill_host(float* batch) {
  for (unsigned i = 0; i < kCount; ++i) batch[i] = mixed_fraction(i);
}

Case fault() {
  auto batch = std::make_shared<std::vector<float>>(kCount);
  fill_host(batch->data());
  float* in = device_array<float>(kCount);
  float* out = device_array<float>(kCount);
  return {
      [=] {
        CHECK(cudaMemcpyAsync(in, batch->data(), kCount * sizeof(float), cudaMemcpyHostToDevice));  // fault
        normalise<<<blocks_for(kCount, 256), 256>>>(in, out, kCount);
      },
      [=] { return device_sum(out, kCount); }, 400};
}

Case clean() {
  float* batch = pinned_array<float>(kCount);
  fill_host(batch);
  float* in = device_array<float>(kCount);
  float* out = device_array<float>(kCount);
  return {[=] {
            CHECK(cudaMemcpyAsync(in, batch, kCount * sizeof(float), cudaMemcpyHostToDevice));
            normalise<<<blocks_for(kCount, 256), 256>>>(in, out, kCount);
          },
          [=] { return device_sum(out, kCount); }, 400};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, fault, clean);
}
