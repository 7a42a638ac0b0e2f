// Puts the weights of four tensors of 67,108,864 values together again: values of 16 bits (bfloat16), of
// which the exponents are in one stream of bytes, and signs and fractions in another, in 64 chunks.
// At fault: a thread takes one value, so that a warp reads 32 bytes from each stream. The pattern is that
// of facebook/openzl, pull request 907: several values a thread, wide loads and stores.
#include <array>

#include "../case.cuh"

namespace {

constexpr int kTensors = 4, kChunks = 64, kChunk = 1 << 20, kThreads = 256, kEight = 8, kRounds = 3000;
constexpr std::size_t kValues = std::size_t{kChunks} * kChunk;

struct Streams {
  unsigned char *exponents, *rests;
};

// A sign, eight bits of an exponent, seven of a fraction.
__host__ __device__ unsigned joined(unsigned exponent, unsigned rest) {
  return (rest & 0x80U) << 8 | exponent << 7 | (rest & 0x7fU);
}

__global__ void __launch_bounds__(kThreads) join_by_value(unsigned short* values, Streams streams) {
  const std::size_t i = std::size_t{blockIdx.y} * kChunk + blockIdx.x * kThreads + threadIdx.x;
  const unsigned exponent = streams.exponents[i], rest = streams.rests[i];  // fault
  values[i] = static_cast<unsigned short>(joined(exponent, rest));          // fault
}

// Values at two bytes that follow one another.
__device__ unsigned joined_pair(unsigned exponents, unsigned rests, int first) {
  const auto byte = [](unsigned word, int i) { return word >> (8 * i) & 0xffU; };
  const unsigned low = joined(byte(exponents, first), byte(rests, first));
  return joined(byte(exponents, first + 1), byte(rests, first + 1)) << 16 | low;
}

__global__ void __launch_bounds__(kThreads) join_by_eight(uint4* values, Streams streams) {
  const std::size_t i = std::size_t{blockIdx.y} * (kChunk / kEight) + blockIdx.x * kThreads + threadIdx.x;
  const uint2 exponents = reinterpret_cast<const uint2*>(streams.exponents)[i];
  const uint2 rests = reinterpret_cast<const uint2*>(streams.rests)[i];
  values[i] = make_uint4(joined_pair(exponents.x, rests.x, 0), joined_pair(exponents.x, rests.x, 2),
                         joined_pair(exponents.y, rests.y, 0), joined_pair(exponents.y, rests.y, 2));
}

Case make(bool by_value) {
  std::array<Streams, kTensors> tensors{};
  std::array<unsigned short*, kTensors> values{};
  for (unsigned tensor = 0; tensor < kTensors; ++tensor) {
    tensors[tensor] = {device_array<unsigned char>(kValues), device_array<unsigned char>(kValues)};
    fill_below(tensors[tensor].exponents, kValues, 128, 2 * tensor);
    fill_below(tensors[tensor].rests, kValues, 256, 2 * tensor + 1);
    values[tensor] = device_array<unsigned short>(kValues);
  }
  return {[=] {
            for (int tensor = 0; tensor < kTensors; ++tensor) {
              if (by_value) {
                const dim3 blocks(kChunk / kThreads, kChunks);
                join_by_value<<<blocks, kThreads>>>(values[tensor], tensors[tensor]);
              } else {
                const dim3 blocks(kChunk / kEight / kThreads, kChunks);
                auto* eights = reinterpret_cast<uint4*>(values[tensor]);
                join_by_eight<<<blocks, kThreads>>>(eights, tensors[tensor]);
              }
            }
          },
          [=] {
            double sum = 0;
            for (const unsigned short* tensor : values) sum += device_sum(tensor, kValues / 4);
            return sum;
          },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
