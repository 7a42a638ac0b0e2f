#pragma once
// Counts trouble by (origin, code): what repeats a million times is one row with a count.

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/model/diagnostic.h"

namespace coalescope::recorder {

class Diagnostics {
 public:
  void add(model::Severity severity, std::string_view origin, std::string_view code, std::string_view text,
           std::int64_t count = 1);
  void add(std::string_view origin, std::string_view code, const base::Error& error);

  // The rows that changed since the last call, for the writer to replace.
  [[nodiscard]] std::vector<model::Diagnostic> take_changed();

 private:
  struct Entry {
    model::Diagnostic row;
    bool changed = true;
  };
  // Codes are few by construction; the limit holds even if one is ever made from a value.
  static constexpr std::size_t kMostKinds = 256;

  std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, Entry> entries_;
};

}  // namespace coalescope::recorder
