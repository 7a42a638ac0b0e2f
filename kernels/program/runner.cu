// In order: overwrite the output; launch, wait and time N times; take a sample of the output; compare it.

#include <algorithm>
#include <array>

#include "kernels/patterns/cuda_check.cuh"
#include "kernels/program/runner.cuh"

namespace coalescope::kernels {
namespace {

constexpr std::array kFamilies{
    Family{"A1", false, false, sequential_patterns},    Family{"A2", false, false, permuted_patterns},
    Family{"A3", false, false, offset_patterns},        Family{"A4", false, false, stride_patterns},
    Family{"A5", false, false, grid_stride_patterns},   Family{"A6", false, false, broadcast_patterns},
    Family{"A7", false, false, element_patterns},       Family{"A8", false, false, structure_patterns},
    Family{"A9", false, false, row_patterns},           Family{"A10", false, false, transpose_patterns},
    Family{"A11", false, false, scattered_patterns},    Family{"A12", false, false, partial_warp_patterns},
    Family{"B1", false, false, shared_stride_patterns}, Family{"B2", false, false, shared_multicast_patterns},
    Family{"B3", false, false, corner_patterns},        Family{"B4", false, false, staging_patterns},
    Family{"B5", false, false, constant_patterns},      Family{"B6", false, false, local_patterns},
    Family{"B7", false, false, atomic_patterns},        Family{"D1", true, true, copy_patterns},
    Family{"D6", true, false, zero_copy_patterns},      Family{"E1", false, false, l2_patterns},
};

class Stopwatch {
 public:
  Stopwatch() {
    check_cuda(cudaEventCreate(&began_), "cudaEventCreate");
    check_cuda(cudaEventCreate(&ended_), "cudaEventCreate");
  }
  ~Stopwatch() {
    cudaEventDestroy(began_);
    cudaEventDestroy(ended_);
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

  template <class Work>
  float microseconds(const Work& work) {
    check_cuda(cudaEventRecord(began_), "cudaEventRecord");
    work();
    check_cuda(cudaGetLastError(), "the launch");
    check_cuda(cudaEventRecord(ended_), "cudaEventRecord");
    check_cuda(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize after the launch");
    float milliseconds = 0;
    check_cuda(cudaEventElapsedTime(&milliseconds, began_, ended_), "cudaEventElapsedTime");
    return milliseconds * 1000;
  }

 private:
  cudaEvent_t began_ = nullptr, ended_ = nullptr;
};

// Rows of neighbouring words, evenly spread, the first and the last word among them. A short output is one
// row. 200 rows are no power of two: samples must not look like one of the sizes that D1 times.
struct Sample {
  std::int64_t rows, row_words, pitch_words;
};

Sample sample_of(std::int64_t words) {
  constexpr std::int64_t kRows = 200, kLeastRowWords = 1024;
  const std::int64_t pitch = (words - kLeastRowWords) / (kRows - 1);
  if (pitch <= 2 * kLeastRowWords) return {1, words, words};
  return {kRows, words - (kRows - 1) * pitch, pitch};
}

std::optional<std::string> find_mistake(const Pattern& pattern, const Arrays& arrays) {
  const std::int64_t output_words = pattern.output_bytes / kWordBytes;
  const Sample sample = sample_of(output_words + 1);
  const Word* rows = output_of(arrays, pattern.output_place);
  std::int64_t rows_pitch = sample.pitch_words;
  PinnedWords copied;
  if (pattern.output_place == Place::device) {
    copied = allocate_pinned(sample.rows * sample.row_words);
    const auto row_bytes = static_cast<std::size_t>(sample.row_words * kWordBytes);
    check_cuda(
        cudaMemcpy2D(copied.get(), row_bytes, rows, static_cast<std::size_t>(sample.pitch_words * kWordBytes),
                     row_bytes, static_cast<std::size_t>(sample.rows), cudaMemcpyDeviceToHost),
        "cudaMemcpy2D of the output");
    rows = copied.get();
    rows_pitch = sample.row_words;
  }
  for (std::int64_t row = 0; row < sample.rows; ++row)
    for (std::int64_t column = 0; column < sample.row_words; ++column) {
      const std::int64_t i = row * sample.pitch_words + column;
      const Word expected =
          (i < output_words ? pattern.output_word(i) : std::nullopt).value_or(kUntouchedWord);
      const Word found = rows[row * rows_pitch + column];
      if (found != expected)
        return "word " + std::to_string(i) + " of the output is " + std::to_string(found) + ", not " +
               std::to_string(expected);
    }
  return std::nullopt;
}

}  // namespace

std::span<const Family> families() {
  return kFamilies;
}

Outcome run_case(const Pattern& pattern, const Arrays& arrays, int launches) {
  make_untouched(arrays, pattern);
  Stopwatch stopwatch;
  // The median also keeps the first, slower launch out of the figure.
  std::vector<float> times_us;
  for (int launch = 0; launch < launches; ++launch)
    times_us.push_back(stopwatch.microseconds([&] { pattern.launch(arrays); }));
  const auto middle = times_us.begin() + static_cast<std::ptrdiff_t>(times_us.size() / 2);
  std::nth_element(times_us.begin(), middle, times_us.end());
  return {*middle, find_mistake(pattern, arrays)};
}

}  // namespace coalescope::kernels
