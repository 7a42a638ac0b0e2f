// Copies to the device and back, launches nothing, and ends at once.
#include "work.cuh"

int main() {
  std::vector<float> there(1 << 20), back(there.size());
  std::iota(there.begin(), there.end(), 0.0F);
  const std::size_t bytes = there.size() * sizeof(float);
  float* device = nullptr;
  CHECK(cudaMalloc(&device, bytes));
  for (int i = 0; i < 20; ++i) CHECK(cudaMemcpyAsync(device, there.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(back.data(), device, bytes, cudaMemcpyDeviceToHost));
  std::puts(there == back ? "right" : "wrong");
  return 0;
}
