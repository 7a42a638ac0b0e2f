#pragma once
// Call sites that differ only in the modules of PyTorch around them are one line of the program: a model
// whose layers are alike has a site for each layer, and one line that launches.

#include <map>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>

#include "reports/analysis/call_sites.h"

namespace coalescope::analysis {

// A view of rows, which must stay where they are while this is made.
class CallLines {
 public:
  explicit CallLines(std::span<const CallSiteRow> rows);

  // The first of the sites of the same line; the site itself where there are no modules.
  [[nodiscard]] std::int64_t of(std::int64_t site) const;

 private:
  // Process, caller, kind, module, offset, function, file, line.
  using Key = std::tuple<std::int64_t, std::int64_t, model::FrameKind, std::string, std::int64_t, std::string,
                         std::string, std::int64_t>;
  using Sites = std::unordered_map<std::int64_t, const CallSiteRow*>;

  void find(const Sites& sites, std::int64_t id);
  [[nodiscard]] std::int64_t line_of(const CallSiteRow& row);

  std::unordered_map<std::int64_t, std::int64_t> lines_;
  std::map<Key, std::int64_t> first_;
};

}  // namespace coalescope::analysis
