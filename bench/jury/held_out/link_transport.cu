// Multiplies the vectors of three complex numbers at 4 million sites by the matrices of the links behind
// them. Nothing is wrong: each complex number of a matrix has an array of its own over the sites. The pattern
// is that of lattice/quda, include/gauge_field_order.h.
#include "../case.cuh"

namespace {

constexpr int kSites = 4 << 20, kColours = 3, kThreads = 256;

__global__ void transport(float2* out, const float2* links, const float2* vectors) {
  const int site = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  float2 in[kColours];
#pragma unroll
  for (int k = 0; k < kColours; ++k) in[k] = vectors[k * kSites + site];
#pragma unroll
  for (int row = 0; row < kColours; ++row) {
    float2 sum = make_float2(0, 0);
#pragma unroll
    for (int k = 0; k < kColours; ++k) {
      const float2 link = links[(row * kColours + k) * kSites + site];
      sum.x += link.x * in[k].x - link.y * in[k].y;
      sum.y += link.x * in[k].y + link.y * in[k].x;
    }
    out[row * kSites + site] = sum;
  }
}

Case make() {
  constexpr std::size_t kLinks = std::size_t{kColours} * kColours * kSites,
                        kVectors = std::size_t{kColours} * kSites;
  auto* links = device_array<float2>(kLinks);
  auto* vectors = device_array<float2>(kVectors);
  auto* out = device_array<float2>(kVectors);
  fill_fractions(reinterpret_cast<float*>(links), 2 * kLinks, 1);
  fill_fractions(reinterpret_cast<float*>(vectors), 2 * kVectors, 2);
  return {[=] { transport<<<kSites / kThreads, kThreads>>>(out, links, vectors); },
          [=] { return device_sum(reinterpret_cast<const float*>(out), std::size_t{1} << 22); }, 2500};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
