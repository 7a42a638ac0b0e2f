#pragma once
// A list of values of several types. std::tuple can be taken apart in more ways, and costs the compiler
// seconds for the lists of a schema's columns.

namespace coalescope::base {

// pack(a, b)(f) is f(a, b).
template <class... Values>
constexpr auto pack(Values... values) {
  return [=](auto&& use) -> decltype(auto) { return use(values...); };
}

}  // namespace coalescope::base
