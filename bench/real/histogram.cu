// A histogram of bytes, a few times: a program of a second.
// Planted: all blocks add to one histogram in global memory, most to one bin (A01, `count_bytes`), byte by
// byte (G04).
#include "steady.cuh"

namespace {

constexpr long kBytes = 64L << 20;

__global__ void count_bytes(const unsigned char* in, unsigned* bins) {
  const long step = static_cast<long>(gridDim.x) * blockDim.x;
  for (long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x; i < kBytes; i += step)
    atomicAdd(bins + in[i], 1U);  // planted
}

}  // namespace

int main(int argc, char** argv) {
  const long rounds = count_from(argc, argv, 12);
  std::vector<unsigned char> bytes(kBytes);
  for (long i = 0; i < kBytes; ++i) bytes[i] = static_cast<unsigned char>(i % 16 == 0 ? i / 16 : 0);
  const unsigned char* in = on_device(bytes);
  unsigned* bins = on_device(std::vector<unsigned>(256, 0));
  steady(rounds, [&] { count_bytes<<<1056, 256>>>(in, bins); });
  print_sum("counted", bins, 256);
  return 0;
}
