#pragma once
// What the code of a pair hands over: how to prepare one of its sides, run it once, and look at its result.

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/patterns/cuda_check.cuh"
#include "kernels/patterns/pattern.cuh"
#include "kernels/twins/twins.h"

namespace coalescope::kernels {

// What a twin needs and this machine has not: no failure, and no result.
struct NotHere : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Computation {
  std::function<void()> run;  // once: all that is timed. What it leaves is the same however often it ran
  std::function<std::optional<std::string>()> find_mistake;
};

struct TwinCode {
  std::string_view id;
  std::function<Computation(Side)> prepare;  // allocates and fills; the computation keeps what it needs
};

// One function a file of twins.
std::vector<TwinCode> shift_twins();
std::vector<TwinCode> stride_twins();
std::vector<TwinCode> uniform_twins();
std::vector<TwinCode> element_twins();
std::vector<TwinCode> layout_twins();
std::vector<TwinCode> transpose_twins();
std::vector<TwinCode> gather_twins();
std::vector<TwinCode> lane_twins();
std::vector<TwinCode> shared_twins();
std::vector<TwinCode> staging_twins();
std::vector<TwinCode> local_twins();
std::vector<TwinCode> atomic_twins();
std::vector<TwinCode> l2_twins();
std::vector<TwinCode> host_twins();
std::vector<TwinCode> launch_twins();

// As the kernels use them: 64 bits would cost instructions of their own.
inline constexpr unsigned kLanes = kWarpThreads, kThreads = kBlockThreads;

// Freed with the last closure that holds them.
using SharedWords = std::shared_ptr<Word[]>;
SharedWords device_words(std::int64_t count);

// The events that time a run stand in the default stream, which waits for streams of this kind.
class BlockingStream {
 public:
  BlockingStream() { check_cuda(cudaStreamCreate(&stream_), "cudaStreamCreate"); }
  ~BlockingStream() { cudaStreamDestroy(stream_); }
  BlockingStream(const BlockingStream&) = delete;
  BlockingStream& operator=(const BlockingStream&) = delete;
  operator cudaStream_t() const { return stream_; }  // NOLINT(google-explicit-constructor)

 private:
  cudaStream_t stream_ = nullptr;
};

// Pinned, and in one copy: what a twin does beside its computation must not look like a fault of its own.
SharedWords copied_back(const Word* words, std::int64_t count);

template <class WordAt>
__global__ void fill_words(Word* words, std::int64_t count, WordAt word_at) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) words[i] = word_at(i);
}

// WordAt is a struct, and not a lambda: those cannot be handed to kernels without another compiler option.
template <class WordAt>
SharedWords filled_words(std::int64_t count, WordAt word_at) {
  SharedWords words = device_words(count);
  const auto blocks = static_cast<unsigned>((count + kBlockThreads - 1) / kBlockThreads);
  fill_words<<<blocks, kBlockThreads>>>(words.get(), count, word_at);
  check_cuda(cudaGetLastError(), "the launch of fill_words");
  return words;
}

// Word i is input_word(i + first).
struct InOrder {
  std::int64_t first = 0;
  __device__ Word operator()(std::int64_t i) const { return input_word(i + first); }
};

// Field f of record r is input_word(r * fields + f): in an array of records that is the order of the words.
// Here each field from `first` on has an array of its own, of as many words as there are records.
struct FieldByField {
  std::int64_t records, fields, first = 0;
  __device__ Word operator()(std::int64_t i) const {
    return input_word(i % records * fields + i / records + first);
  }
};

// Where the host takes long for a word, a step that is prime leaves out most, and goes to each lane in turn.
struct Checked {
  std::int64_t count;
  std::int64_t step = 1;
};

// Element i of the result is word at(i) of the array.
template <class At, class Expected>
std::optional<std::string> first_mistake(const Word* words, std::int64_t length, Checked checked, At at,
                                         Expected expected) {
  const SharedWords copy = copied_back(words, length);
  for (std::int64_t i = 0; i < checked.count; i += checked.step) {
    const Word found = copy[static_cast<std::size_t>(at(i))];
    if (found != expected(i))
      return "element " + std::to_string(i) + " of the result is " + std::to_string(found) + ", not " +
             std::to_string(expected(i));
  }
  return std::nullopt;
}

template <class Expected>
std::optional<std::string> first_mistake(const Word* words, Checked checked, Expected expected) {
  return first_mistake(
      words, checked.count, checked, [](std::int64_t i) { return i; }, expected);
}

// All threads of the block call it; the sum is thread 0's.
__device__ inline Word sum_of_block(Word own) {
  __shared__ Word sums[kThreads / kLanes];
#pragma unroll
  for (unsigned distance = kLanes / 2; distance > 0; distance /= 2)
    own += __shfl_down_sync(0xFFFFFFFFU, own, distance);
  if (threadIdx.x % kLanes == 0) sums[threadIdx.x / kLanes] = own;
  __syncthreads();
  Word sum = 0;
  for (const Word of_warp : sums) sum += of_warp;
  return sum;
}

}  // namespace coalescope::kernels
