// B4: global to shared memory, through registers and by the asynchronous copies that compute capability 8.0
// brought.

#include <cuda_pipeline.h>

#include "kernels/patterns/pattern.cuh"

namespace coalescope::kernels {

template <int Bytes>
struct Staged;
template <>
struct Staged<4> {
  using Element = std::uint32_t;
};
template <>
struct Staged<8> {
  using Element = uint2;
};
template <>
struct Staged<16> {
  using Element = uint4;
};

// Writes each block of elements back to front, so that they have to pass through shared memory.
template <class Element>
__device__ inline void write_reversed(Element* out,
                                      const Element (&elements)[kStagedElements][kBlockThreads]) {
  const unsigned first = blockIdx.x * kBlockThreads * kStagedElements;
#pragma unroll
  for (unsigned k = 0; k < kStagedElements; ++k)
    out[first + k * kBlockThreads + threadIdx.x] = elements[k][kBlockThreads - 1 - threadIdx.x];
}

// Loads: as many sectors a request as an element has bytes, 100 %. Shared memory: a wavefront for each 128
// bytes.
template <int Bytes>
__global__ void staged_through_registers(Word* out, const Word* in) {
  using Element = typename Staged<Bytes>::Element;
  __shared__ Element elements[kStagedElements][kBlockThreads];
  const unsigned first = blockIdx.x * kBlockThreads * kStagedElements;
  const Element* from = reinterpret_cast<const Element*>(in) + first + threadIdx.x;
#pragma unroll
  for (unsigned k = 0; k < kStagedElements; ++k) elements[k][threadIdx.x] = from[k * kBlockThreads];
  __syncthreads();
  write_reversed(reinterpret_cast<Element*>(out), elements);
}

// The same sectors, counted as asynchronous copies and no longer as loads.
template <int Bytes>
__global__ void staged_asynchronously(Word* out, const Word* in) {
  using Element = typename Staged<Bytes>::Element;
  __shared__ Element elements[kStagedElements][kBlockThreads];
  const unsigned first = blockIdx.x * kBlockThreads * kStagedElements;
  const Element* from = reinterpret_cast<const Element*>(in) + first + threadIdx.x;
#pragma unroll
  for (unsigned k = 0; k < kStagedElements; ++k)
    __pipeline_memcpy_async(&elements[k][threadIdx.x], from + k * kBlockThreads, sizeof(Element));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  write_reversed(reinterpret_cast<Element*>(out), elements);
}

namespace {

using Kernel = void (*)(Word*, const Word*);

Pattern pattern_of(const std::string& function, Kernel kernel, int element_bytes) {
  return {function + "/" + std::to_string(element_bytes),
          [kernel, element_bytes](const Arrays& arrays) {
            kernel<<<blocks_of(staged_threads(element_bytes)), kBlockThreads>>>(arrays.device.output,
                                                                                arrays.device.input);
          },
          [words = element_bytes / kWordBytes](std::int64_t i) {
            const std::int64_t element = i / words;
            const std::int64_t reversed =
                element / kBlockThreads * kBlockThreads + kBlockThreads - 1 - element % kBlockThreads;
            return input_word(reversed * words + i % words);
          }};
}

template <int Bytes>
void add_width(std::vector<Pattern>& patterns) {
  patterns.push_back(pattern_of("staged_through_registers", staged_through_registers<Bytes>, Bytes));
  patterns.push_back(pattern_of("staged_asynchronously", staged_asynchronously<Bytes>, Bytes));
}

}  // namespace

std::vector<Pattern> staging_patterns() {
  std::vector<Pattern> patterns;
  add_width<4>(patterns);
  add_width<8>(patterns);
  add_width<16>(patterns);
  return patterns;
}

}  // namespace coalescope::kernels
