// A6, B5: words that all lanes want belong into constant memory; words that differ by lane do not.

#include "kernels/twins/twin.cuh"

namespace coalescope::kernels {

constexpr std::int64_t kUniformWords = 32 * kMiB;

__global__ void scale_by_pointer(Word* out, const Word* in, const Word* factor) {
  out[thread_index()] = in[thread_index()] * *factor;
}
__global__ void scale_by_parameter(Word* out, const Word* in, Word factor) {
  out[thread_index()] = in[thread_index()] * factor;
}

constexpr unsigned kCoefficients = 64;
constexpr std::int64_t kEvaluatedWords = 16 * kMiB;
__constant__ Word constant_coefficients[kCoefficients];

__global__ void evaluate_global(Word* out, const Word* in, const Word* coefficients) {
  const Word x = in[thread_index()];
  Word sum = 0;
#pragma unroll
  for (unsigned k = 0; k < kCoefficients; ++k) {
    sum = sum * x + coefficients[k];  // fault: broadcast_table
  }
  out[thread_index()] = sum;
}
__global__ void evaluate_constant(Word* out, const Word* in) {
  const Word x = in[thread_index()];
  Word sum = 0;
#pragma unroll
  for (const Word coefficient : constant_coefficients) sum = sum * x + coefficient;
  out[thread_index()] = sum;
}

constexpr unsigned kWeights = 4096, kWeightPasses = kWeights / 32;
constexpr std::int64_t kWeighedWords = 4 * kMiB;
__constant__ Word constant_weights[kWeights];

__global__ void weigh_by_constants(Word* out, const Word* in) {
  const Word x = in[thread_index()];
  Word sum = 0;
#pragma unroll 8
  for (unsigned pass = 0; pass < kWeightPasses; ++pass) {
    sum = sum * x + constant_weights[pass * 32 + threadIdx.x % 32];  // fault: constant_by_lane
  }
  out[thread_index()] = sum;
}
__global__ void weigh_by_globals(Word* out, const Word* in, const Word* weights) {
  const Word x = in[thread_index()];
  Word sum = 0;
#pragma unroll 8
  for (unsigned pass = 0; pass < kWeightPasses; ++pass) sum = sum * x + weights[pass * 32 + threadIdx.x % 32];
  out[thread_index()] = sum;
}

namespace {

Computation broadcast_factor(Side side) {
  const SharedWords in = filled_words(kUniformWords, InOrder());
  const SharedWords factor = filled_words(1, InOrder());
  const SharedWords out = device_words(kUniformWords);
  const unsigned blocks = blocks_of(kUniformWords);
  return {[=] {
            if (side == Side::fault)
              scale_by_pointer<<<blocks, kBlockThreads>>>(out.get(), in.get(), factor.get());
            else
              scale_by_parameter<<<blocks, kBlockThreads>>>(out.get(), in.get(), input_word(0));
          },
          [=] {
            return first_mistake(out.get(), {kUniformWords},
                                 [](std::int64_t i) { return input_word(i) * input_word(0); });
          }};
}

Computation broadcast_table(Side side) {
  const SharedWords in = filled_words(kEvaluatedWords, InOrder());
  const SharedWords coefficients = filled_words(kCoefficients, InOrder());
  const SharedWords out = device_words(kEvaluatedWords);
  const unsigned blocks = blocks_of(kEvaluatedWords);
  if (side == Side::clean)
    check_cuda(cudaMemcpyToSymbol(constant_coefficients, coefficients.get(), sizeof constant_coefficients, 0,
                                  cudaMemcpyDeviceToDevice),
               "cudaMemcpyToSymbol");
  return {[=] {
            if (side == Side::fault)
              evaluate_global<<<blocks, kBlockThreads>>>(out.get(), in.get(), coefficients.get());
            else
              evaluate_constant<<<blocks, kBlockThreads>>>(out.get(), in.get());
          },
          [=] {
            return first_mistake(out.get(), {kEvaluatedWords, 31}, [](std::int64_t i) {
              Word sum = 0;
              for (unsigned k = 0; k < kCoefficients; ++k) sum = sum * input_word(i) + input_word(k);
              return sum;
            });
          }};
}

Computation constant_by_lane(Side side) {
  const SharedWords in = filled_words(kWeighedWords, InOrder());
  const SharedWords weights = filled_words(kWeights, InOrder());
  const SharedWords out = device_words(kWeighedWords);
  const unsigned blocks = blocks_of(kWeighedWords);
  if (side == Side::fault)
    check_cuda(cudaMemcpyToSymbol(constant_weights, weights.get(), sizeof constant_weights, 0,
                                  cudaMemcpyDeviceToDevice),
               "cudaMemcpyToSymbol");
  return {[=] {
            if (side == Side::fault)
              weigh_by_constants<<<blocks, kBlockThreads>>>(out.get(), in.get());
            else
              weigh_by_globals<<<blocks, kBlockThreads>>>(out.get(), in.get(), weights.get());
          },
          [=] {
            return first_mistake(out.get(), {kWeighedWords, 31}, [](std::int64_t i) {
              Word sum = 0;
              for (std::int64_t pass = 0; pass < kWeightPasses; ++pass)
                sum = sum * input_word(i) + input_word(pass * 32 + i % 32);
              return sum;
            });
          }};
}

}  // namespace

std::vector<TwinCode> uniform_twins() {
  return {{"broadcast_factor", broadcast_factor},
          {"broadcast_table", broadcast_table},
          {"constant_by_lane", constant_by_lane}};
}

}  // namespace coalescope::kernels
