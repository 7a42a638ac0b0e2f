// Everything among the template arguments that is neither built in nor of a known library is the author's.
// A lambda tells most, then a type that is passed by itself; the type of his data tells least, since
// the functor beside it is the library's.

#include "reports/analysis/figures/users_functor.h"

#include <algorithm>
#include <array>
#include <span>

#include "reports/analysis/figures/declaration.h"

namespace coalescope::analysis {
namespace {

constexpr int kDeepestFunctor = 24;          // names come from the target and may be hostile
constexpr std::size_t kMostSearched = 4096;  // as may be their lengths

// Namespaces and types outside of any that come with CUDA and the libraries.
constexpr std::array<std::string_view, 38> kNotTheUsers{"std",
                                                        "cuda",
                                                        "thrust",
                                                        "cub",
                                                        "cute",
                                                        "cutlass",
                                                        "at",
                                                        "c10",
                                                        "caffe2",
                                                        "torch",
                                                        "__nv_",
                                                        "__half",
                                                        "cudnn",
                                                        "cublas",
                                                        "cusparse",
                                                        "curand",
                                                        "tensorflow",
                                                        "Eigen",
                                                        "raft",
                                                        "cudf",
                                                        "cuvs",
                                                        "rmm",
                                                        "cuco",
                                                        "Kokkos",
                                                        "RAJA",
                                                        "amrex",
                                                        "alpaka",
                                                        "flash",
                                                        "nvcuda",
                                                        "dim3",
                                                        "ThrustSlice",
                                                        "Tensor",
                                                        "TrivialOffsetCalculator",
                                                        "OffsetCalculator",
                                                        "at_cuda_detail",
                                                        "__int",
                                                        "libcudacxx",
                                                        "function_traits"};

constexpr std::array<std::string_view, 16> kBuiltIn{
    "bool",   "char", "signed", "unsigned", "short",  "int",  "long",     "float",
    "double", "void", "true",   "false",    "size_t", "auto", "decltype", "nullptr"};

// Library templates whose arguments are data, not functors.
constexpr std::array<std::string_view, 20> kHoldsData{
    "device_ptr",   "pointer",    "normal_iterator",   "identity", "plus",
    "minus",        "multiplies", "maximum",           "minimum",  "less",
    "greater",      "tuple",      "equal_to",          "pair",     "array",
    "zip_iterator", "functor",    "constant_iterator", "Array",    "View"};

struct FoundFunctor {
  int rank = 0;
  std::string name;
};

template <std::size_t kSize>
bool is_among(std::string_view text, const std::array<std::string_view, kSize>& list) {
  return std::ranges::find(list, text) != list.end();
}

// "float4" and "uint2", but not "float_sum".
bool is_vector_type(std::string_view name) {
  if (name.empty() || name.back() < '1' || name.back() > '4') return false;
  name.remove_suffix(1);
  if (name.starts_with('u')) name.remove_prefix(1);
  return is_among(name, kBuiltIn) || name == "longlong" || name == "half";
}

bool is_library(std::string_view first) {
  return is_among(first, kBuiltIn) || is_vector_type(first) ||
         std::ranges::any_of(kNotTheUsers, [&](std::string_view known) {
           return known.ends_with('_') || known.size() > 6 ? first.starts_with(known) : first == known;
         });
}

bool is_identifier(std::string_view text) {
  return !text.empty() && (text.front() == '_' || (text.front() >= 'a' && text.front() <= 'z') ||
                           (text.front() >= 'A' && text.front() <= 'Z'));
}

void keep_best(FoundFunctor& best, int rank, std::string name) {
  if (rank > best.rank) best = {rank, std::move(name)};
}

// The last part of a path that has a name: "step" of "ns::step(int)::{lambda(int)#1}".
std::string_view enclosing_function(std::span<const std::string_view> path) {
  for (std::size_t i = path.size(); i-- > 0;)
    if (!is_lambda(path[i]) && !is_nameless(path[i]) && !path[i].starts_with("operator"))
      return parse_component(path[i]).name;
  return {};
}

void search_argument(std::string_view text, bool is_data, int depth, FoundFunctor& best);

void search_arguments(const Texts& path, int depth, FoundFunctor& best) {
  for (const std::string_view component : path) {
    const Component part = parse_component(component);
    for (const std::string_view argument : part.arguments)
      search_argument(argument, is_among(part.name, kHoldsData), depth + 1, best);
  }
}

// nvcc's closures name the function that holds them: "__nv_dl_tag<void (*)(), &(step()), 1u>".
void search_closure(std::string_view tag, FoundFunctor& best) {
  const std::size_t at = tag.find('&');
  if (at == std::string_view::npos) return;
  std::string_view function = tag.substr(at + 1);
  while (function.starts_with('(')) function.remove_prefix(1);
  function = function.substr(0, function.find_first_of(",>"));
  Texts path = split_outside_brackets(function, "::");
  if (is_library(path.front())) return;
  const std::string_view name = path.back().substr(0, path.back().find_first_of("(<)"));
  if (!name.empty()) keep_best(best, 3, "lambda in " + std::string(name));
}

// An argument: a type, a number, or the address of a function.
void search_argument(std::string_view text, bool is_data, int depth, FoundFunctor& best) {
  if (depth > kDeepestFunctor) return;
  if (text.starts_with("__nv_dl_wrapper_t<") || text.starts_with("__nv_hdl_wrapper_t<"))
    return search_closure(text, best);
  if (text.ends_with(" const")) text.remove_suffix(6);
  if (text.starts_with("const ")) text.remove_prefix(6);
  const bool points = text.ends_with('*') || text.ends_with('&');
  Texts path = split_outside_brackets(text, "::");
  while (path.size() > 1 && is_nameless(path.front())) path.erase(path.begin());
  const std::string_view first = parse_component(path.front()).name;
  const std::string_view word = first.substr(0, first.find_first_of(" *&"));
  if (!is_identifier(word) || is_library(word)) return search_arguments(path, depth, best);
  if (std::ranges::any_of(path, is_lambda))
    return keep_best(best, 3, "lambda in " + std::string(enclosing_function(path)));
  const std::string_view last = parse_component(path.back()).name;
  keep_best(best, points || is_data ? 1 : 2, std::string(last.substr(0, last.find_first_of(" *&"))));
}

}  // namespace

std::string users_functor(std::string_view function) {
  FoundFunctor best;
  if (function.size() <= kMostSearched) search_arguments(split_outside_brackets(function, "::"), 0, best);
  return best.name;
}

}  // namespace coalescope::analysis
