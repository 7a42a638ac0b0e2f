#include "reports/analysis/figures/digest.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

#include "core/base/utf8.h"
#include "reports/analysis/figures/declaration.h"

namespace coalescope::analysis {
namespace {

// Helpers that come with any functor of their libraries, and what demanglers add.
constexpr std::array<std::string_view, 71> kTellsNothing{"void",
                                                         "bool",
                                                         "char",
                                                         "const",
                                                         "lambda",
                                                         "operator",
                                                         "anonymous",
                                                         "namespace",
                                                         "true",
                                                         "false",
                                                         "type",
                                                         "Tensor",
                                                         "TensorMap",
                                                         "TensorEvaluator",
                                                         "TensorAssignOp",
                                                         "TensorCwiseUnaryOp",
                                                         "TensorCwiseBinaryOp",
                                                         "TensorCwiseNullaryOp",
                                                         "MakePointer",
                                                         "GpuDevice",
                                                         "TensorIterator",
                                                         "TensorIteratorBase",
                                                         "TensorBase",
                                                         "TensorListMetadata",
                                                         "CUDAGeneratorImpl",
                                                         "array",
                                                         "Array",
                                                         "OffsetCalculator",
                                                         "TrivialOffsetCalculator",
                                                         "LoadWithCast",
                                                         "StoreWithCast",
                                                         "LoadWithoutCast",
                                                         "StoreWithoutCast",
                                                         "gpu_kernel_impl",
                                                         "gpu_kernel_impl_nocast",
                                                         "gpu_index_kernel",
                                                         "func_wrapper_t",
                                                         "integral_constant",
                                                         "no_stencil_tag",
                                                         "always_true_predicate",
                                                         "null_type",
                                                         "use_default",
                                                         "tuple",
                                                         "C",
                                                         "enable_sm90_or_later",
                                                         "ScanTileState",
                                                         "NullType",
                                                         "policy_hub",
                                                         "cudnnNanPropagation_t",
                                                         "cudnnTensorFormat_t",
                                                         "cudnnKernelDataType_t",
                                                         "curandOrdering",
                                                         "padding_t",
                                                         "twiddle_t",
                                                         "loadstore_modifier_t",
                                                         "layout_t",
                                                         "ReductionType",
                                                         "Flash_kernel_traits",
                                                         "Flash_fwd_kernel_traits",
                                                         "Flash_bwd_kernel_traits",
                                                         "cublasGemvParams",
                                                         "cublasGemvParamsEx",
                                                         "cublasDotParams",
                                                         "cublasGemvTensor",
                                                         "cublasGemvTensorStridedBatched",
                                                         "SortOrder",
                                                         "identity_decomposer_t",
                                                         "BinaryFunctor",
                                                         "AUnaryFunctor",
                                                         "BUnaryFunctor",
                                                         "UnaryOpFunctor"};

// They come behind the functors. Their order tells a conversion from its reverse.
constexpr std::array<std::string_view, 24> kValueTypes{
    "int",           "long",        "short",   "unsigned int", "unsigned long", "unsigned short",
    "unsigned char", "signed char", "float",   "double",       "half",          "half_t",
    "Half",          "__half",      "__half2", "BFloat16",     "bfloat16_t",    "__nv_bfloat16",
    "float2",        "float4",      "double2", "complex",      "uint4",         "uint2"};

// Said by their scope: "__fill::functor" is a fill.
constexpr std::array<std::string_view, 6> kSaidByScope{"functor", "Kernel_traits", "Params",
                                                       "kernel",  "Kernel",        "Policy"};

// Parts of the names that NVIDIA's libraries give to generated kernels.
constexpr std::array<std::string_view, 21> kNameNoise{"cudnn_generated_fort_native_",
                                                      "_execute_segment_k_off_kernel",
                                                      "_execute_kernel",
                                                      "__5x_cublas",
                                                      "__5x_cudnn",
                                                      "_kernel0_0",
                                                      "xmma_",
                                                      "implicit_gemm_",
                                                      "tilesize",
                                                      "warpsize",
                                                      "warpgroupsize",
                                                      "tensorop_",
                                                      "kernel_cutlass_",
                                                      "_cga1x1x1",
                                                      "_aligna4",
                                                      "_alignc4",
                                                      "_aligna8",
                                                      "_alignc8",
                                                      "nhwckrsc_",
                                                      "_tensor16x8x16",
                                                      "_kernel"};

constexpr std::string_view kGap = "...";

bool is_word_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool is_in(std::string_view word, const auto& list) {
  return std::ranges::find(list, word) != list.end();
}

bool is_said_by_scope(std::string_view word) {
  while (!word.empty() && is_digit(word.back())) word.remove_suffix(1);
  return is_in(word, kSaidByScope);
}

std::string_view without_suffix(std::string_view number) {
  while (!number.empty() && (number.back() == 'u' || number.back() == 'l')) number.remove_suffix(1);
  return number;
}

// The size of a tile or a block: small numbers are flags and ranks, large ones packed.
bool is_size(std::string_view word) {
  return word.size() >= 2 && word.size() <= 4 && std::ranges::all_of(word, is_digit);
}

struct DigestWord {
  std::string_view text;
  bool is_scope;  // "::" follows
};

std::vector<DigestWord> digest_words(std::string_view text) {
  std::vector<DigestWord> words;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    if (text.substr(i).starts_with("unsigned ")) end += 9;
    while (end < text.size() && is_word_character(text[end])) ++end;
    if (end == i) {
      ++i;
      continue;
    }
    words.push_back({text.substr(i, end - i), text.substr(end).starts_with("::")});
    i = end;
  }
  return words;
}

// What is worth its room.
class DigestRoom {
 public:
  explicit DigestRoom(std::size_t longest) : longest_(longest) {}

  // A shorter word may fit where a longer one did not.
  void take(std::string_view word) {
    const std::size_t more = word.size() + (text_.empty() ? 0 : 2);
    if (text_.size() + more <= longest_) text_.append(text_.empty() ? "" : ", ").append(word);
  }
  [[nodiscard]] std::string text() && { return std::move(text_); }

 private:
  std::size_t longest_;
  std::string text_;
};

// The first byte of a character, at or before a place in a text: names may be UTF-8.
std::size_t character_at(std::string_view text, std::size_t at) {
  while (at > 0 && at < text.size() && !base::begins_character(text[at])) --at;
  return at;
}

}  // namespace

std::string digest(std::string_view arguments, std::size_t longest) {
  constexpr std::size_t kMostSizes = 3;
  const std::vector<DigestWord> words = digest_words(arguments);
  std::vector<std::string_view> names, types, sizes;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i].text;
    const bool names_the_next = i + 1 < words.size() && is_said_by_scope(words[i + 1].text);
    if ((words[i].is_scope && !names_the_next) || is_in(word, kTellsNothing) || is_said_by_scope(word))
      continue;
    if (is_digit(word.front())) {
      const std::string_view number = without_suffix(word);
      if (is_size(number) && sizes.size() < kMostSizes) sizes.push_back(number);
    } else if (auto& list = is_in(word, kValueTypes) ? types : names; !is_in(word, list)) {
      list.push_back(word);
    }
  }
  DigestRoom room(longest);
  for (const auto& list : {names, types, sizes})
    for (const auto word : list) room.take(word);
  return std::move(room).text();
}

std::string beginning(std::string_view name, std::size_t longest) {
  return std::string(name.substr(0, character_at(name, longest - kGap.size()))) + std::string(kGap);
}

std::string shortened_word(std::string_view name, std::size_t longest) {
  std::string text(name);
  for (const auto noise : kNameNoise) {
    if (text.size() <= longest) return text;
    if (const std::size_t at = text.find(noise); at != std::string::npos) text.erase(at, noise.size());
  }
  if (text.size() <= longest || longest < 2 * kGap.size()) return text.substr(0, longest);
  const std::size_t left = longest - kGap.size();
  const std::size_t tail = left / 3;
  const std::size_t end = character_at(text, left - tail);
  std::size_t rest = text.size() - tail;
  while (rest < text.size() && character_at(text, rest) != rest) ++rest;
  return text.substr(0, end) + std::string(kGap) + text.substr(rest);
}

}  // namespace coalescope::analysis
