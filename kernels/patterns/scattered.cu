// A11: reads through a list of indices, by ordinary loads and by the read-only path.

#include <memory>

#include "kernels/patterns/cuda_check.cuh"
#include "kernels/patterns/pattern.cuh"

namespace coalescope::kernels {

// The indices: 4 sectors a request. What they point to: as many sectors as the 32 indices hit.
template <int SpanWords>
__global__ void scattered_read(Word* out, const Word* in, const std::uint32_t* indices) {
  const unsigned i = thread_index();
  out[i] = in[indices[i]];
}

// The same sectors: the read-only path is another cache policy, not another transaction size.
template <int SpanWords>
__global__ void scattered_read_only(Word* __restrict__ out, const Word* __restrict__ in,
                                    const std::uint32_t* __restrict__ indices) {
  const unsigned i = thread_index();
  out[i] = __ldg(in + __ldg(indices + i));
}

namespace {

using IndexedKernel = void (*)(Word*, const Word*, const std::uint32_t*);

struct FreeIndices {
  void operator()(std::uint32_t* indices) const { cudaFree(indices); }
};
using DeviceIndices = std::unique_ptr<std::uint32_t, FreeIndices>;

DeviceIndices index_list(std::uint32_t span_words) {
  std::vector<std::uint32_t> list(kScatteredThreads);
  for (std::uint32_t thread = 0; thread < list.size(); ++thread)
    list[thread] = scattered_index(thread, span_words);
  const std::size_t bytes = list.size() * sizeof(std::uint32_t);
  std::uint32_t* indices = nullptr;
  check_cuda(cudaMalloc(&indices, bytes), "cudaMalloc of the indices");
  DeviceIndices owner(indices);
  check_cuda(cudaMemcpy(indices, list.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy of the indices");
  return owner;
}

// The list is made by the first launch: patterns are also made where there is no GPU.
Pattern pattern_of(const std::string& function, IndexedKernel kernel, std::uint32_t span_words) {
  const auto list = std::make_shared<DeviceIndices>();
  return {function + "/" + std::to_string(span_words),
          [kernel, list, span_words](const Arrays& arrays) {
            if (!*list) *list = index_list(span_words);
            kernel<<<blocks_of(kScatteredThreads), kBlockThreads>>>(arrays.device.output, arrays.device.input,
                                                                    list->get());
          },
          [span_words](std::int64_t i) -> std::optional<Word> {
            if (i >= kScatteredThreads) return std::nullopt;
            return input_word(scattered_index(static_cast<std::uint32_t>(i), span_words));
          }};
}

template <int SpanWords>
void add_span(std::vector<Pattern>& patterns) {
  patterns.push_back(pattern_of("scattered_read", scattered_read<SpanWords>, SpanWords));
  patterns.push_back(pattern_of("scattered_read_only", scattered_read_only<SpanWords>, SpanWords));
}

}  // namespace

std::vector<Pattern> scattered_patterns() {
  std::vector<Pattern> patterns;
  add_span<64>(patterns);
  add_span<1024>(patterns);
  add_span<kArrayWords>(patterns);
  return patterns;
}

}  // namespace coalescope::kernels
