// Makes 64 images of 2000 x 2000 pixels of 3 bytes brighter.
// Nothing is wrong: the channels do not matter, so a thread takes 16 bytes at once. The pattern is that of
// NVIDIA/DALI, dali/kernels/imgproc/pointwise.
#include "../case.cuh"

namespace {

constexpr int kThreads = 256;
constexpr std::size_t kWords = std::size_t{64} * 2000 * 2000 * 3 / 16;

// Four bytes, each times 9/8 plus 10, and at most 255.
__device__ unsigned brighter(unsigned word) {
  unsigned out = 0;
#pragma unroll
  for (int shift = 0; shift < 32; shift += 8) {
    const unsigned byte = word >> shift & 0xff;
    out |= min(byte + (byte >> 3) + 10, 255U) << shift;
  }
  return out;
}

__global__ void brighten(uint4* out, const uint4* in) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= kWords) return;
  const uint4 w = in[i];
  out[i] = make_uint4(brighter(w.x), brighter(w.y), brighter(w.z), brighter(w.w));
}

Case make() {
  auto* in = device_array<uint4>(kWords);
  auto* out = device_array<uint4>(kWords);
  fill_below(reinterpret_cast<unsigned*>(in), 4 * kWords, 0xffffffffU, 1);
  return {[=] { brighten<<<blocks_for(kWords, kThreads), kThreads>>>(out, in); },
          [=] { return device_sum(reinterpret_cast<unsigned*>(out), std::size_t{1} << 22); }, 1000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
