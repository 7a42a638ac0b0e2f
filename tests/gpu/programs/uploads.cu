// Copies to the device, of bytes that change, of bytes that do not, and to memory that a kernel overwrites.
// Each line says which it is.
#include <cstdio>
#include <vector>

namespace {

constexpr int kWords = 1 << 16, kRounds = 80;

__global__ void add(float* sums, const float* table, const float* batch, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) sums[i] += table[i] * batch[i];
}

__global__ void scale(float* scaled, const float* table, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) scaled[i] = 2 * table[i];
}

float* on_device(int words) {
  float* memory = nullptr;
  cudaMalloc(&memory, words * sizeof(float));
  return memory;
}

}  // namespace

int main() {
  std::vector<float> table(kWords, 2), batch(kWords, 3), large(64 * kWords, 1), back(kWords);
  float* pinned = nullptr;
  cudaMallocHost(&pinned, kWords * sizeof(float));
  for (int i = 0; i < kWords; ++i) pinned[i] = 1;
  float *sums = on_device(kWords), *a = on_device(kWords), *b = on_device(kWords),
        *c = on_device(64 * kWords), *scaled = on_device(kWords);
  cudaMemset(sums, 0, kWords * sizeof(float));
  constexpr std::size_t kBytes = kWords * sizeof(float);
  for (int round = 0; round < kRounds; ++round) {
    batch[round] = static_cast<float>(100 + round);
    cudaMemcpy(a, table.data(), kBytes, cudaMemcpyHostToDevice);       // the same
    cudaMemcpy(b, batch.data(), kBytes, cudaMemcpyHostToDevice);       // others
    cudaMemcpy(c, large.data(), 64 * kBytes, cudaMemcpyHostToDevice);  // the same
    cudaMemcpyAsync(a, pinned, kBytes, cudaMemcpyHostToDevice);        // the same
    cudaMemcpy(scaled, batch.data(), kBytes, cudaMemcpyHostToDevice);  // overwritten
    add<<<kWords / 256, 256>>>(sums, a, b, kWords);
    scale<<<kWords / 256, 256>>>(scaled, a, kWords);
    cudaMemcpy(back.data(), b, kBytes, cudaMemcpyDeviceToHost);
    cudaMemcpy(b, back.data(), kBytes, cudaMemcpyHostToDevice);  // from the device
  }
  cudaMemcpy(back.data(), sums, kBytes, cudaMemcpyDeviceToHost);
  std::printf("%s\n", back[kWords - 1] == 3 * kRounds ? "right" : "wrong");
}
