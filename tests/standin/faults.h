#pragma once
// What a script orders to go wrong. Both libraries read it from the script that STANDIN_SCRIPT names:
//
//   fail FUNCTION [at=1] [times=1] with=CODE   this call of the recorder's, and times-1 after it, answers
//   CODE missing NAME                               the library has no such function, or is itself not there
//   slow FUNCTION ns=N                         each call takes so much longer, on the stand-in's own clock
//   stall FUNCTION ms=N                        each call takes so much longer in truth
//
// Each that came to pass is a line of the file STANDIN_NOTES.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace standin {

// Counts a call. A code: the call must fail with it and do nothing.
[[nodiscard]] std::optional<int> fault(std::string_view function);
[[nodiscard]] bool missing(std::string_view name);

// Nanoseconds since 1970, ahead of the real clock by what slow calls have cost.
[[nodiscard]] std::uint64_t clock_ns();

// Something was done that harms a program on the real thing: the process dies of it, loudly.
[[noreturn]] void violation(const std::string& what);

}  // namespace standin
