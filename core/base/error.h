#pragma once
// The one way in which an expected failure travels: a Result with an Error that a person can act on.

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace coalescope::base {

// What kind of failure it is, for the code that must choose an exit status or go on without a part.
enum class ErrorCode {
  usage,          // the caller asked for something that cannot be
  not_found,      // a file, a program or a library is not there
  not_permitted,  // the operating system or the driver refuses
  not_a_capture,  // the file exists and is something else
  newer_schema,   // written by a later coalescope
  damaged,        // a capture whose content cannot be right
  unsupported,    // this GPU, driver or toolkit cannot do it
  unsafe,         // it could harm the program that is recorded
  busy,           // another tool holds what is needed
  failed,         // the operation was tried and went wrong
};

// `message` says what happened and to which object, `remedy` what to do next (may be empty).
struct Error {
  ErrorCode code = ErrorCode::failed;
  std::string message;
  std::string remedy;

  // "cannot read 'x.coal': it is not a capture; record one with 'coalescope record'"
  [[nodiscard]] std::string text() const { return remedy.empty() ? message : message + "; " + remedy; }
};

// An alias cannot carry [[nodiscard]]: each function that returns a Result carries it itself.
template <class T>
using Result = tl::expected<T, Error>;

// What becomes a failed Result of any type. Nobody else writes it down (a test of tests/build looks): a new
// failure is `return failure(...)`, and that of a callee goes on by `if (!done) return relay(done);`.
using Failure = tl::unexpected<Error>;

[[nodiscard]] inline Failure failure(Error error) {
  return Failure(std::move(error));
}
[[nodiscard]] inline Failure failure(ErrorCode code, std::string message, std::string remedy = {}) {
  return Failure(Error{code, std::move(message), std::move(remedy)});
}

// A copy: some failures are kept to be told again, and none is so frequent that it would matter.
template <class T>
[[nodiscard]] Failure relay(const Result<T>& failed) {
  return Failure(failed.error());
}

}  // namespace coalescope::base
