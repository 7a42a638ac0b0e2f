// A matrix of 32,768 x 8192 weights of about 2 bits times a vector of bytes: eight weights are a pattern
// of a table of 256 and signs of a table of 128.
// At fault: the tables lie in constant memory, where a warp reads one address at a time, and the lanes
// look up different entries. The pattern is that of ggml-org/llama.cpp, pull request 4773: with the signs
// in constant memory 108 tokens a second, in global memory 155.
#include "../case.cuh"

namespace {

constexpr int kRows = 32768, kColumns = 8192, kThreads = 256, kWarps = kThreads / 32;
constexpr int kGroup = 32, kGroups = kColumns / kGroup, kPatterns = 256, kSigns = 128;

__constant__ uint2 kConstantPatterns[kPatterns];
__constant__ unsigned kConstantSigns[kSigns];
__device__ uint2 global_patterns[kPatterns];
__device__ unsigned global_signs[kSigns];

// Negates the bytes of four whose bits are set.
__device__ int with_signs(unsigned bytes, unsigned bits) {
  const unsigned mask = __vcmpne4((bits * 0x01010101U) & 0x08040201U, 0);
  return static_cast<int>(__vsub4(bytes ^ mask, mask));
}

struct Looked {
  uint2 pattern;
  unsigned signs;
};

template <bool kConstant>
__device__ Looked look_up(unsigned code) {
  const unsigned at = code & 0xffU, sign = (code >> 8) & 0x7fU;
  if constexpr (kConstant) return {kConstantPatterns[at], kConstantSigns[sign]};  // fault
  return {__ldg(global_patterns + at), __ldg(global_signs + sign)};
}

// A warp takes a row, a lane 32 weights at a time: four codes of 16 bits. The vector lies in two halves, each
// with 16 bytes of every 32.
template <bool kConstant>
__device__ void multiply(float* out, const uint2* codes, const float* scales, const int4* vector) {
  const int row = static_cast<int>(blockIdx.x * kWarps + threadIdx.x / 32);
  const int lane = static_cast<int>(threadIdx.x % 32);
  float sum = 0;
  for (int group = lane; group < kGroups; group += 32) {
    const uint2 own = codes[row * kGroups + group];
    const int4 low = vector[group], high = vector[kGroups + group];
    const Looked a = look_up<kConstant>(own.x), b = look_up<kConstant>(own.x >> 16);  // fault
    const Looked c = look_up<kConstant>(own.y), d = look_up<kConstant>(own.y >> 16);  // fault
    int dot = __dp4a(with_signs(a.pattern.x, a.signs & 15U), low.x, 0);
    dot = __dp4a(with_signs(a.pattern.y, a.signs >> 4), low.y, dot);
    dot = __dp4a(with_signs(b.pattern.x, b.signs & 15U), low.z, dot);
    dot = __dp4a(with_signs(b.pattern.y, b.signs >> 4), low.w, dot);
    dot = __dp4a(with_signs(c.pattern.x, c.signs & 15U), high.x, dot);
    dot = __dp4a(with_signs(c.pattern.y, c.signs >> 4), high.y, dot);
    dot = __dp4a(with_signs(d.pattern.x, d.signs & 15U), high.z, dot);
    dot = __dp4a(with_signs(d.pattern.y, d.signs >> 4), high.w, dot);
    sum += scales[row * kGroups + group] * static_cast<float>(dot);
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, step);
  if (lane == 0) out[row] = fabsf(sum);
}

__global__ void multiply_constant(float* out, const uint2* codes, const float* scales, const int4* vector) {
  multiply<true>(out, codes, scales, vector);
}

__global__ void multiply_global(float* out, const uint2* codes, const float* scales, const int4* vector) {
  multiply<false>(out, codes, scales, vector);
}

void fill_tables() {
  uint2 patterns[kPatterns];
  unsigned signs[kSigns];
  const auto four = [](unsigned seed) {
    constexpr unsigned kLevels[3] = {8, 25, 43};
    unsigned bytes = 0;
    for (unsigned k = 0; k < 4; ++k) bytes |= kLevels[mixed_bits(4 * seed + k) % 3] << (8 * k);
    return bytes;
  };
  for (unsigned i = 0; i < kPatterns; ++i) patterns[i] = {four(2 * i), four(2 * i + 1)};
  for (unsigned i = 0; i < kSigns; ++i) signs[i] = i | (static_cast<unsigned>(__builtin_parity(i)) << 7);
  CHECK(cudaMemcpyToSymbol(kConstantPatterns, patterns, sizeof(patterns)));
  CHECK(cudaMemcpyToSymbol(kConstantSigns, signs, sizeof(signs)));
  CHECK(cudaMemcpyToSymbol(global_patterns, patterns, sizeof(patterns)));
  CHECK(cudaMemcpyToSymbol(global_signs, signs, sizeof(signs)));
}

Case make(bool constant) {
  auto* codes = device_array<unsigned short>(std::size_t{kRows} * kGroups * 4);
  auto* scales = device_array<float>(std::size_t{kRows} * kGroups);
  auto* vector = device_array<signed char>(kColumns);
  auto* out = device_array<float>(kRows);
  fill_below(codes, std::size_t{kRows} * kGroups * 4, 1U << 15, 1);
  fill_fractions(scales, std::size_t{kRows} * kGroups, 2);
  fill_below(vector, kColumns, 128, 3);
  fill_tables();
  const auto* four = reinterpret_cast<const uint2*>(codes);
  const auto* bytes = reinterpret_cast<const int4*>(vector);
  return {[=] {
            if (constant) {
              multiply_constant<<<kRows / kWarps, kThreads>>>(out, four, scales, bytes);
            } else {
              multiply_global<<<kRows / kWarps, kThreads>>>(out, four, scales, bytes);
            }
          },
          [=] { return device_sum(out, kRows); }, 2000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
