// Adds up the features of the neighbours of each of 131,072 nodes of a graph: 32 neighbours, 128 floats a
// node. Nothing is wrong: a warp takes a node, and its lanes read a neighbour's features in order, 16 bytes
// each. The pattern is that of dmlc/dgl, src/array/cuda/ge_spmm.cuh.
#include "../case.cuh"

namespace {

constexpr int kNodes = 1 << 17, kNeighbours = 32, kLanes = 32, kThreads = 256;

__global__ void aggregate(float4* out, const float4* features, const int* neighbours) {
  const int node = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / kLanes);
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int own = neighbours[node * kNeighbours + lane];
  float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll 8
  for (int k = 0; k < kNeighbours; ++k) {
    const int neighbour = __shfl_sync(0xffffffffU, own, k);
    const float4 four = features[neighbour * kLanes + lane];
    sum.x += four.x, sum.y += four.y, sum.z += four.z, sum.w += four.w;
  }
  out[node * kLanes + lane] = sum;
}

Case make() {
  constexpr std::size_t kQuads = std::size_t{kNodes} * kLanes;
  auto* features = device_array<float4>(kQuads);
  auto* out = device_array<float4>(kQuads);
  auto* neighbours = device_array<int>(std::size_t{kNodes} * kNeighbours);
  fill_fractions(reinterpret_cast<float*>(features), 4 * kQuads, 1);
  fill_below(neighbours, std::size_t{kNodes} * kNeighbours, kNodes, 2);
  return {[=] { aggregate<<<kNodes * kLanes / kThreads, kThreads>>>(out, features, neighbours); },
          [=] { return device_sum(reinterpret_cast<float*>(out), std::size_t{1} << 22); }, 700};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
