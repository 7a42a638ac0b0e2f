// A2, A3, A9: warps that read 32 neighbouring words, which do not begin where a segment does. Where the next
// warp on the same multiprocessor takes up the rest of the segment, that costs next to nothing.

#include "kernels/twins/twin.cuh"

namespace coalescope::kernels {

constexpr std::int64_t kShiftedWords = 32 * kMiB;

struct Swapped {
  __device__ Word operator()(std::int64_t i) const { return input_word(i ^ 1); }
};

// Words `pitch` apart begin a row; what is behind a row's end is never used.
struct Pitched {
  std::int64_t width, pitch;
  __device__ Word operator()(std::int64_t i) const { return input_word(i / pitch * width + i % pitch); }
};

// One to one among the numbers of 20 bits.
__host__ __device__ constexpr std::uint32_t shuffled_row(std::uint32_t row) {
  constexpr std::uint32_t kMask = (1U << 20) - 1;
  row = (row ^ (row >> 11)) * 0x9E3B5U & kMask;
  row = (row ^ (row >> 9)) * 0xB5297U & kMask;
  return row ^ (row >> 10);
}

__global__ void copy_swapped(Word* out, const Word* in) {
  out[thread_index()] = in[thread_index() ^ 1U];
}
__global__ void copy_in_order(Word* out, const Word* in) {
  out[thread_index()] = in[thread_index()];
}

__global__ void copy_shifted(Word* out, const Word* in, unsigned shift) {
  out[thread_index()] = in[thread_index() + shift];
}

// Each warp copies a row of 32 words from somewhere in the table: nobody near takes up the rest of a segment.
__global__ void gather_rows(Word* out, const Word* table) {
  const unsigned row = shuffled_row(thread_index() / 32);
  out[thread_index()] = table[row * 32 + threadIdx.x % 32];  // fault: misaligned_rows
}

// The first 32 words of each row.
__global__ void copy_panel(Word* out, const Word* in, unsigned pitch) {
  const unsigned row = thread_index() / 32;
  out[thread_index()] = in[row * pitch + threadIdx.x % 32];  // fault: unpitched_rows
}

constexpr unsigned kLongRowWords = 1001, kLongRowPitch = 1024, kLongRows = 32 * 1024;

__global__ void copy_rows(Word* out, const Word* in, unsigned pitch) {
  const unsigned column = thread_index();
  if (column < kLongRowWords) out[blockIdx.y * kLongRowPitch + column] = in[blockIdx.y * pitch + column];
}

namespace {

Computation swapped_pairs(Side side) {
  const bool fault = side == Side::fault;
  const SharedWords in =
      fault ? filled_words(kShiftedWords, Swapped()) : filled_words(kShiftedWords, InOrder());
  const SharedWords out = device_words(kShiftedWords);
  const auto kernel = fault ? copy_swapped : copy_in_order;
  return {[=] { kernel<<<blocks_of(kShiftedWords), kBlockThreads>>>(out.get(), in.get()); },
          [=] { return first_mistake(out.get(), {kShiftedWords}, input_word); }};
}

Computation offset_copy(Side side) {
  const unsigned shift = side == Side::fault ? 1 : 0;
  const SharedWords in = filled_words(kShiftedWords + shift, InOrder{-std::int64_t{shift}});
  const SharedWords out = device_words(kShiftedWords);
  return {[=] { copy_shifted<<<blocks_of(kShiftedWords), kBlockThreads>>>(out.get(), in.get(), shift); },
          [=] { return first_mistake(out.get(), {kShiftedWords}, input_word); }};
}

// The table begins behind a header of one word, or behind one that fills a line.
Computation misaligned_rows(Side side) {
  constexpr std::int64_t kTableWords = 32 * kMiB;
  static_assert(kTableWords == std::int64_t{32} << 20);
  const std::int64_t header = side == Side::fault ? 1 : 32;
  const SharedWords in = filled_words(kTableWords + header, InOrder{-header});
  const SharedWords out = device_words(kTableWords);
  return {[=] { gather_rows<<<blocks_of(kTableWords), kBlockThreads>>>(out.get(), in.get() + header); },
          [=] {
            return first_mistake(out.get(), {kTableWords}, [](std::int64_t i) {
              return input_word(std::int64_t{shuffled_row(static_cast<std::uint32_t>(i / 32))} * 32 + i % 32);
            });
          }};
}

Computation unpitched_rows(Side side) {
  constexpr std::int64_t kPanelRows = 512 * kKiB, kWidth = 65, kOutputWords = kPanelRows * 32;
  const std::int64_t pitch = side == Side::fault ? kWidth : 96;
  const SharedWords in = filled_words(kPanelRows * pitch, Pitched{kWidth, pitch});
  const SharedWords out = device_words(kOutputWords);
  return {[=] {
            copy_panel<<<blocks_of(kOutputWords), kBlockThreads>>>(out.get(), in.get(),
                                                                   static_cast<unsigned>(pitch));
          },
          [=] {
            return first_mistake(out.get(), {kOutputWords},
                                 [](std::int64_t i) { return input_word(i / 32 * kWidth + i % 32); });
          }};
}

Computation long_rows(Side side) {
  constexpr std::int64_t kOutputWords = std::int64_t{kLongRows} * kLongRowPitch;
  const unsigned pitch = side == Side::fault ? kLongRowWords : kLongRowPitch;
  const SharedWords in = filled_words(std::int64_t{kLongRows} * pitch, Pitched{kLongRowWords, pitch});
  const SharedWords out = device_words(kOutputWords);
  return {[=] {
            const dim3 grid(kLongRowPitch / kBlockThreads, kLongRows);
            copy_rows<<<grid, kBlockThreads>>>(out.get(), in.get(), pitch);
          },
          [=] {
            const auto at = [](std::int64_t i) {
              return i / kLongRowWords * kLongRowPitch + i % kLongRowWords;
            };
            return first_mistake(out.get(), kOutputWords, {std::int64_t{kLongRows} * kLongRowWords}, at,
                                 input_word);
          }};
}

}  // namespace

std::vector<TwinCode> shift_twins() {
  return {{"swapped_pairs", swapped_pairs},
          {"offset_copy", offset_copy},
          {"misaligned_rows", misaligned_rows},
          {"unpitched_rows", unpitched_rows},
          {"long_rows", long_rows}};
}

}  // namespace coalescope::kernels
