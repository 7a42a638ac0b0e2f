// Looks for the length that a share of 4 million edges of a mesh is below: the kernel counts, the host
// adds up and tries another length, four times a round.
// At fault: the counts are managed memory, so that their pages go to the host and come back each time. The
// pattern is that of elalish/manifold, issue 120: small managed buffers that host and device use in turn.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kVertices = 1 << 20, kEdges = 4 << 20, kThreads = 256, kBlocks = kEdges / kThreads;
constexpr int kTries = 4, kRounds = 800;

__global__ void connect(int2* edges) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), vertex = i / 4;
  const auto far = static_cast<int>(mixed_bits(static_cast<unsigned>(i)) % 30) + 1;
  edges[i] = {vertex, (vertex + far) % kVertices};
}

__global__ void count_short_edges(int* counts, const int2* edges, const float4* vertices, float length) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const float4 a = vertices[edges[i].x], b = vertices[edges[i].y];
  const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
  const int own = __syncthreads_count(x * x + y * y + z * z < length * length);
  if (threadIdx.x == 0) counts[blockIdx.x] = own;  // fault
}

struct Search {
  float length;
  double total;
};

void refine(Search& search, const int* counts) {
  int found = 0;
  for (int block = 0; block < kBlocks; ++block) found += counts[block];  // fault
  search.length *= found < kEdges / 4 ? 1.01F : 0.99F;
  search.total += found;
}

Case make(bool managed) {
  auto* edges = device_array<int2>(kEdges);
  auto* vertices = device_array<float4>(kVertices);
  connect<<<kBlocks, kThreads>>>(edges);
  fill_fractions(reinterpret_cast<float*>(vertices), std::size_t{4} * kVertices, 1);
  auto search = std::make_shared<Search>(Search{0.5F, 0});
  const auto sum = [=] { return search->total; };
  if (managed) {
    int* counts = nullptr;
    CHECK(cudaMallocManaged(&counts, kBlocks * sizeof(int)));  // fault
    return {[=] {
              for (int k = 0; k < kTries; ++k) {
                count_short_edges<<<kBlocks, kThreads>>>(counts, edges, vertices, search->length);  // fault
                CHECK(cudaDeviceSynchronize());
                refine(*search, counts);  // fault
              }
            },
            sum, kRounds};
  }
  auto* counts = device_array<int>(kBlocks);
  auto* host = pinned_array<int>(kBlocks);
  return {[=] {
            for (int k = 0; k < kTries; ++k) {
              count_short_edges<<<kBlocks, kThreads>>>(counts, edges, vertices, search->length);
              CHECK(cudaMemcpyAsync(host, counts, kBlocks * sizeof(int), cudaMemcpyDeviceToHost));
              CHECK(cudaStreamSynchronize(nullptr));
              refine(*search, host);
            }
          },
          sum, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
