// D6: kernels that use host memory in place, and their twins that use a copy of it. Twins share their code
// and are functions of their own, so that a capture tells them apart.

#include "kernels/patterns/cuda_check.cuh"
#include "kernels/patterns/pattern.cuh"

namespace coalescope::kernels {

// 4 sectors a request for loads and stores, 100 %.
__device__ inline void copy_word(Word* out, const Word* in) {
  const unsigned i = thread_index();
  out[i] = in[i];
}

// Two such loads. The second touch comes half an array later, when no cache holds the first any more: every
// word crosses the bus twice.
__device__ inline void add_two_words(Word* out, const Word* in) {
  const unsigned i = thread_index();
  out[i] = in[i] + in[(i + kArrayWords / 2) % kArrayWords];
}

// Loads: 32 sectors a request, 12.5 %. Stores: 4, 100 %.
__device__ inline void gather_strided(Word* out, const Word* in) {
  const unsigned i = thread_index();
  out[i] = in[i * kZeroCopyStride];
}

__global__ void zero_copy_read(Word* out, const Word* in) {
  copy_word(out, in);
}
__global__ void staged_read(Word* out, const Word* in) {
  copy_word(out, in);
}
__global__ void zero_copy_read_twice(Word* out, const Word* in) {
  add_two_words(out, in);
}
__global__ void staged_read_twice(Word* out, const Word* in) {
  add_two_words(out, in);
}
__global__ void zero_copy_strided_read(Word* out, const Word* in) {
  gather_strided(out, in);
}
__global__ void staged_strided_read(Word* out, const Word* in) {
  gather_strided(out, in);
}
__global__ void zero_copy_write(Word* out, const Word* in) {
  copy_word(out, in);
}
__global__ void staged_write(Word* out, const Word* in) {
  copy_word(out, in);
}

namespace {

using Kernel = void (*)(Word*, const Word*);
using OutputWord = std::optional<Word> (*)(std::int64_t);

std::optional<Word> copied(std::int64_t i) {
  return input_word(i);
}

std::optional<Word> added(std::int64_t i) {
  return input_word(i) + input_word((i + kArrayWords / 2) % kArrayWords);
}

std::optional<Word> gathered(std::int64_t i) {
  if (i >= strided_threads(kZeroCopyStride)) return std::nullopt;
  return input_word(i * kZeroCopyStride);
}

void copy_array(Word* to, const Word* from, cudaMemcpyKind kind) {
  check_cuda(cudaMemcpy(to, from, kArrayBytes, kind), "cudaMemcpy");
}

Pattern zero_copy(std::string id, Kernel kernel, std::int64_t threads, OutputWord output_word) {
  return {std::move(id),
          [=](const Arrays& arrays) {
            kernel<<<blocks_of(threads), kBlockThreads>>>(arrays.device.output, arrays.pinned.input);
          },
          output_word};
}

Pattern staged(std::string id, Kernel kernel, std::int64_t threads, OutputWord output_word) {
  return {std::move(id),
          [=](const Arrays& arrays) {
            copy_array(arrays.device.input, arrays.pinned.input, cudaMemcpyHostToDevice);
            kernel<<<blocks_of(threads), kBlockThreads>>>(arrays.device.output, arrays.device.input);
          },
          output_word};
}

Pattern written_in_place() {
  return {"zero_copy_write",
          [](const Arrays& arrays) {
            zero_copy_write<<<blocks_of(kArrayWords), kBlockThreads>>>(arrays.pinned.output,
                                                                       arrays.device.input);
          },
          copied, Place::pinned};
}

Pattern written_and_copied() {
  return {"staged_write",
          [](const Arrays& arrays) {
            staged_write<<<blocks_of(kArrayWords), kBlockThreads>>>(arrays.device.output,
                                                                    arrays.device.input);
            copy_array(arrays.pinned.output, arrays.device.output, cudaMemcpyDeviceToHost);
          },
          copied, Place::pinned};
}

}  // namespace

std::vector<Pattern> zero_copy_patterns() {
  constexpr std::int64_t kStridedThreads = strided_threads(kZeroCopyStride);
  return {zero_copy("zero_copy_read", zero_copy_read, kArrayWords, copied),
          staged("staged_read", staged_read, kArrayWords, copied),
          zero_copy("zero_copy_read_twice", zero_copy_read_twice, kArrayWords, added),
          staged("staged_read_twice", staged_read_twice, kArrayWords, added),
          zero_copy("zero_copy_strided_read", zero_copy_strided_read, kStridedThreads, gathered),
          staged("staged_strided_read", staged_strided_read, kStridedThreads, gathered),
          written_in_place(),
          written_and_copied()};
}

}  // namespace coalescope::kernels
