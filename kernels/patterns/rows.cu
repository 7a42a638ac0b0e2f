// A9: two-dimensional arrays whose rows follow each other directly, or begin at a pitch. Each warp copies 32
// columns of a row, the last one what is left.

#include "kernels/patterns/pattern.cuh"

namespace coalescope::kernels {

__device__ inline void copy_rows(Word* out, const Word* in, unsigned row_words, unsigned pitch_words) {
  const unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= row_words) return;
  out[row * pitch_words + column] = in[row * pitch_words + column];
}

// A row begins wherever the one before ended. Rows of a multiple of 8 words begin on sector boundaries, all
// of them: 4 sectors a request. Of rows of an odd number of words one in eight does: 5 sectors for the
// others.
template <int RowWords>
__global__ void unpitched_rows(Word* out, const Word* in) {
  copy_rows(out, in, RowWords, RowWords);
}

// Every row begins on a boundary: 4 sectors a request, 100 %.
template <int RowWords>
__global__ void pitched_rows(Word* out, const Word* in) {
  copy_rows(out, in, RowWords, kRowPitchWords);
}

namespace {

using Kernel = void (*)(Word*, const Word*);

Pattern rows_pattern(const std::string& function, Kernel kernel, int row_words, std::int64_t pitch_words) {
  return {function + "/" + std::to_string(row_words),
          [kernel](const Arrays& arrays) {
            const dim3 block(kWarpThreads, kBlockThreads / kWarpThreads);
            const dim3 grid(kRowPitchWords / block.x, kRows / block.y);
            kernel<<<grid, block>>>(arrays.device.output, arrays.device.input);
          },
          [row_words, pitch_words](std::int64_t i) {
            const bool written = i % pitch_words < row_words && i / pitch_words < kRows;
            return written ? std::optional(input_word(i)) : std::nullopt;
          }};
}

template <int RowWords>
void add_rows(std::vector<Pattern>& patterns) {
  patterns.push_back(rows_pattern("unpitched_rows", unpitched_rows<RowWords>, RowWords, RowWords));
  patterns.push_back(rows_pattern("pitched_rows", pitched_rows<RowWords>, RowWords, kRowPitchWords));
}

}  // namespace

std::vector<Pattern> row_patterns() {
  std::vector<Pattern> patterns;
  add_rows<1000>(patterns);
  add_rows<1001>(patterns);
  add_rows<1002>(patterns);
  add_rows<1004>(patterns);
  return patterns;
}

}  // namespace coalescope::kernels
