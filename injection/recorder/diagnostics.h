#pragma once
// Counts trouble by (origin, code): what repeats a million times is one row with a count.

#include <initializer_list>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/model/diagnostic_kinds.h"

namespace coalescope::recorder {

class Diagnostics {
 public:
  void add(const model::DiagnosticKind& kind, std::int64_t count = 1) { add(kind, {}, count); }
  // `details` as in make_diagnostic(); of what repeats the first are kept.
  void add(const model::DiagnosticKind& kind, std::initializer_list<std::string_view> details,
           std::int64_t count = 1, std::string_view origin = {});
  void add(const model::DiagnosticKind& kind, const base::Error& error, std::string_view origin = {}) {
    add(kind, {error.text()}, 1, origin);
  }

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
