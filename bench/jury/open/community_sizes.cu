// Adds the weights of a graph's vertices by community; vertices of a community are often neighbours.
// Fault: all lanes of a warp add to one address. Repair: where a warp has one community, it adds up first.
#include "../case.cuh"

namespace {

constexpr unsigned kVertices = 1U << 23, kCommunities = 4096, kRun = 64;

__global__ void weigh_by_vertices(const int* community, const float* weight, float* total, unsigned n) {
  const unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n) atomicAdd(&total[community[v]], weight[v]);  // fault
}

__global__ void weigh_by_warps(const int* community, const float* weight, float* total, unsigned n) {
  const unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
  const bool is_vertex = v < n;
  const int mine = is_vertex ? community[v] : -1;
  float sum = is_vertex ? weight[v] : 0;
  int is_one = 0;
  __match_all_sync(0xffffffffU, mine, &is_one);
  if (is_one == 0) {
    if (is_vertex) atomicAdd(&total[mine], sum);
    return;
  }
  for (unsigned other = 16; other > 0; other /= 2) sum += __shfl_down_sync(0xffffffffU, sum, other);
  if (threadIdx.x % 32 == 0 && is_vertex) atomicAdd(&total[mine], sum);
}

__global__ void fill_communities(int* community, unsigned n) {
  const unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n) community[v] = static_cast<int>(mixed_bits(v / kRun) % kCommunities);
}

Case side(decltype(&weigh_by_vertices) kernel) {
  int* community = device_array<int>(kVertices);
  float* weight = device_array<float>(kVertices);
  float* total = device_array<float>(kCommunities);
  fill_communities<<<blocks_for(kVertices, 256), 256>>>(community, kVertices);
  fill_fractions(weight, kVertices, 19);
  return {[=] {
            CHECK(cudaMemsetAsync(total, 0, kCommunities * sizeof(float)));
            kernel<<<blocks_for(kVertices, 256), 256>>>(community, weight, total, kVertices);
          },
          [=] { return device_sum(total, kCommunities / 2); }, 400};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return side(weigh_by_vertices); }, [] { return side(weigh_by_warps); });
}
