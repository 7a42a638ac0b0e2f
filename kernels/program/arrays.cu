#include <cstring>

#include "kernels/patterns/cuda_check.cuh"
#include "kernels/program/arrays.cuh"

namespace coalescope::kernels {

__global__ void fill_input(Word* words) {
  const unsigned i = thread_index();
  words[i] = input_word(i);
}

namespace {

constexpr std::int64_t kOutputWords = kArrayWords + kBlockThreads;

DeviceWords allocate_device(std::int64_t words) {
  Word* memory = nullptr;
  check_cuda(cudaMalloc(&memory, static_cast<std::size_t>(words * kWordBytes)),
             "cudaMalloc (the kernels need 512 MiB of free GPU memory)");
  return DeviceWords(memory);
}

void fill_on_host(Word* words) {
  for (std::int64_t i = 0; i < kArrayWords; ++i) words[i] = input_word(i);
}

}  // namespace

PinnedWords allocate_pinned(std::int64_t words) {
  Word* memory = nullptr;
  check_cuda(cudaHostAlloc(&memory, static_cast<std::size_t>(words * kWordBytes), cudaHostAllocMapped),
             "cudaHostAlloc (D1 and D6 need 512 MiB of host memory that may be pinned)");
  return PinnedWords(memory);
}

FamilyArrays::FamilyArrays(bool with_pinned, bool with_pageable)
    : device_input_(allocate_device(kArrayWords)), device_output_(allocate_device(kOutputWords)) {
  fill_input<<<blocks_of(kArrayWords), kBlockThreads>>>(device_input_.get());
  check_cuda(cudaGetLastError(), "the launch of fill_input");
  check_cuda(cudaStreamSynchronize(nullptr), "fill_input");
  if (with_pinned) {
    pinned_input_ = allocate_pinned(kArrayWords);
    pinned_output_ = allocate_pinned(kOutputWords);
    fill_on_host(pinned_input_.get());
  }
  if (with_pageable) {
    pageable_input_ = std::make_unique<Word[]>(kArrayWords);
    pageable_output_ = std::make_unique<Word[]>(kOutputWords);
    fill_on_host(pageable_input_.get());
  }
}

Arrays FamilyArrays::view() const {
  return {{device_input_.get(), device_output_.get()},
          {pinned_input_.get(), pinned_output_.get()},
          {pageable_input_.get(), pageable_output_.get()}};
}

Word* output_of(const Arrays& arrays, Place place) {
  switch (place) {
    case Place::device:
      return arrays.device.output;
    case Place::pinned:
      return arrays.pinned.output;
    case Place::pageable:
      return arrays.pageable.output;
  }
  return nullptr;
}

void make_untouched(const Arrays& arrays, const Pattern& pattern) {
  Word* const output = output_of(arrays, pattern.output_place);
  const auto bytes = static_cast<std::size_t>(pattern.output_bytes + kWordBytes);
  if (pattern.output_place == Place::device)
    check_cuda(cudaMemset(output, kUntouchedByte, bytes), "cudaMemset");
  else
    std::memset(output, kUntouchedByte, bytes);
}

}  // namespace coalescope::kernels
