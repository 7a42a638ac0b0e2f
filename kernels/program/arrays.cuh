#pragma once
// The memory that a family's cases work on: allocated for it, filled, and freed before the next family.

#include <memory>

#include "kernels/patterns/pattern.cuh"

namespace coalescope::kernels {

struct FreeDevice {
  void operator()(Word* words) const { cudaFree(words); }
};
struct FreePinned {
  void operator()(Word* words) const { cudaFreeHost(words); }
};
using DeviceWords = std::unique_ptr<Word[], FreeDevice>;
using PinnedWords = std::unique_ptr<Word[], FreePinned>;
using PageableWords = std::unique_ptr<Word[]>;

PinnedWords allocate_pinned(std::int64_t words);

// What the outputs hold before a run: a word that was not written is told from one that was.
inline constexpr int kUntouchedByte = 0xA5;
inline constexpr Word kUntouchedWord = 0xA5A5A5A5U;

// Inputs hold input_word(). Outputs are one block longer than the inputs, to see writes behind their end.
class FamilyArrays {
 public:
  FamilyArrays(bool with_pinned, bool with_pageable);
  [[nodiscard]] Arrays view() const;

 private:
  DeviceWords device_input_, device_output_;
  PinnedWords pinned_input_, pinned_output_;
  PageableWords pageable_input_, pageable_output_;
};

// Where the pattern's output lies.
Word* output_of(const Arrays& arrays, Place place);

// Overwrites what the pattern may write, and the word behind it.
void make_untouched(const Arrays& arrays, const Pattern& pattern);

}  // namespace coalescope::kernels
