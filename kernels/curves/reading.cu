#include <numeric>

#include "kernels/curves/reading.cuh"

namespace coalescope::kernels {

__global__ void fill_words(Word* words, std::int64_t count) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = thread_index(); i < count; i += step) words[i] = input_word(i);
}

Sums::Sums(unsigned blocks)
    : threads_(std::int64_t{blocks} * kBlockThreads), sums_(device_array<Word>(threads_ * kWordBytes)) {}

Word Sums::total() const {
  std::vector<Word> sums(static_cast<std::size_t>(threads_));
  check_cuda(cudaMemcpy(sums.data(), sums_.get(), sums.size() * sizeof(Word), cudaMemcpyDeviceToHost),
             "cudaMemcpy of the sums");
  return std::accumulate(sums.begin(), sums.end(), Word{0});
}

OnDevice<Word> filled_array(std::int64_t bytes) {
  OnDevice<Word> words = device_array<Word>(bytes);
  fill_words<<<1024, kBlockThreads>>>(words.get(), bytes / kWordBytes);
  check_cuda(cudaGetLastError(), "the launch of fill_words");
  check_cuda(cudaDeviceSynchronize(), "fill_words");
  return words;
}

}  // namespace coalescope::kernels
