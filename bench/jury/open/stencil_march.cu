// Clean: a 7-point stencil in three dimensions. Threads go along z and keep three layers' words in registers;
// the words to the left and right are the neighbours', which caches hold.
#include "../case.cuh"

namespace {

constexpr unsigned kX = 512, kY = 384, kZ = 256, kLayer = kX * kY, kDeep = 32;

// A block of 64 x 4 columns goes through kDeep layers.
__global__ void smooth(const float* __restrict__ in, float* __restrict__ out) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x == 0 || x >= kX - 1 || y == 0 || y >= kY - 1) return;
  const unsigned first = blockIdx.z * kDeep, column = y * kX + x;
  float before = first > 0 ? in[(first - 1) * kLayer + column] : 0, here = in[first * kLayer + column];
  for (unsigned z = first; z < first + kDeep; ++z) {
    const unsigned i = z * kLayer + column;
    const float after = z + 1 < kZ ? in[i + kLayer] : 0;
    out[i] = 0.4F * here + 0.1F * (before + after + in[i - 1] + in[i + 1] + in[i - kX] + in[i + kX]);
    before = here;
    here = after;
  }
}
static_assert(kX % 64 == 0 && kY % 4 == 0 && kZ % kDeep == 0);

Case clean() {
  constexpr std::size_t count = std::size_t{kLayer} * kZ;
  float* in = device_array<float>(count);
  float* out = device_array<float>(count);
  fill_fractions(in, count, 106);
  fill_fractions(out, count, 106);
  const dim3 block(64, 4), grid(kX / block.x, kY / block.y, kZ / kDeep);
  return {[=]() mutable {
            smooth<<<grid, block>>>(in, out);
            std::swap(in, out);
          },
          [=] { return device_sum(in, kLayer * 4); }, 2000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, clean);
}
