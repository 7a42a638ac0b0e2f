#pragma once
// A regular expression over kernel names, as the user writes it.

#include <memory>
#include <regex.h>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace coalescope::base {

class NameFilter {
 public:
  // `pattern` is a POSIX extended regular expression, or empty. (std::regex recurses once a character: a long
  // kernel name could exhaust the stack of the target's thread.)
  [[nodiscard]] static Result<NameFilter> compile(const std::string& pattern);

  // Anywhere in the name, mangled, or as a person reads it ("ns::copy<3>"). An empty pattern matches nothing.
  [[nodiscard]] bool matches(std::string_view kernel_name) const;

 private:
  struct Free {
    void operator()(regex_t* expression) const;
  };
  std::unique_ptr<regex_t, Free> expression_;
};

}  // namespace coalescope::base
