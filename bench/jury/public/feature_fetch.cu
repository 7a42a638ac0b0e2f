// Gathers the features of 65,536 nodes of a graph, 512 bytes each, for every batch.
// At fault: the features lie in mapped memory of the host, so that each batch reads them over the bus. The
// pattern is that of dmlc/dgl, whose pull request 4341 keeps features on the device.
#include "../case.cuh"

namespace {

constexpr int kNodes = 1 << 18, kWidth = 32, kBatch = 65536, kThreads = 256;
constexpr std::size_t kWords = static_cast<std::size_t>(kNodes) * kWidth * 4;

// A warp takes a node, 16 bytes a lane.
__global__ void gather_mapped(float4* batch, const float4* features, const int* nodes) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  batch[i] = features[nodes[i / kWidth] * kWidth + i % kWidth];  // fault
}

__global__ void gather_resident(float4* batch, const float4* features, const int* nodes) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  batch[i] = features[nodes[i / kWidth] * kWidth + i % kWidth];
}

Case make(bool mapped) {
  float* host = nullptr;
  CHECK(cudaHostAlloc(&host, kWords * sizeof(float), cudaHostAllocMapped));
  for (std::size_t i = 0; i < kWords; ++i) host[i] = mixed_fraction(static_cast<unsigned>(i));
  float* features = nullptr;
  if (mapped) {
    CHECK(cudaHostGetDevicePointer(&features, host, 0));
  } else {
    features = device_array<float>(kWords);
    CHECK(cudaMemcpy(features, host, kWords * sizeof(float), cudaMemcpyHostToDevice));
  }
  auto* nodes = device_array<int>(kBatch);
  auto* batch = device_array<float4>(std::size_t{kBatch} * kWidth);
  fill_below(nodes, kBatch, kNodes, 3);
  return {[=] {
            auto* kernel = mapped ? gather_mapped : gather_resident;
            kernel<<<kBatch * kWidth / kThreads, kThreads>>>(batch, reinterpret_cast<const float4*>(features),
                                                             nodes);
          },
          [=] { return device_sum(reinterpret_cast<float*>(batch), std::size_t{1} << 22); }, 600};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
