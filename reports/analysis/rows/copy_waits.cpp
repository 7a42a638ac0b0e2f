#include "reports/analysis/rows/copy_waits.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "core/base/whole.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rows/idle_behind_calls.h"

namespace coalescope::analysis {
namespace {

// The copies that one line of the program makes, and its waits.
struct CopyLine {
  std::vector<SiteUse*> uses;
  std::int64_t copies_ns = 0;  // the GPU's time, of the calls that have a stack
  std::int64_t waits = 0;      // all that are listed
};

// By file and line, or by the call in the author's code where lines are not known.
class CopyLines {
 public:
  CopyLines(std::vector<TransferRow>& transfers, const CallStacks& stacks) : stacks_(stacks) {
    for (TransferRow& row : transfers)
      for (SiteUse& use : row.call_sites) {
        const auto [place, is_new] = places_.emplace(place_of(use.call_site_id), lines_.size());
        if (is_new) lines_.emplace_back();
        CopyLine& line = lines_[place->second];
        line.uses.push_back(&use);
        base::add_to(line.copies_ns, use.gpu_ns);
      }
  }

  [[nodiscard]] std::size_t cause_of(const model::Synchronization& wait) const {
    if (!wait.call_site_id) return kOtherCause;
    const auto found = places_.find(place_of(wait.call_site_id->value));
    return found == places_.end() ? kOtherCause : found->second;
  }
  [[nodiscard]] std::vector<CopyLine>& lines() { return lines_; }

 private:
  using Place = std::pair<std::string, std::int64_t>;
  [[nodiscard]] Place place_of(std::int64_t site) const {
    const CallSiteRow* const own = stacks_.own_frame(site);
    if (own == nullptr) return {"", site};
    return own->file && own->line ? Place(*own->file, *own->line) : Place("", own->id);
  }

  const CallStacks& stacks_;
  std::map<Place, std::size_t> places_;
  std::vector<CopyLine> lines_;
};

}  // namespace

void take_copy_waits(std::vector<TransferRow>& transfers, std::span<const model::Synchronization> waits,
                     const OccupiedByProcess& occupied, const CallStacks& stacks) {
  CopyLines of(transfers, stacks);
  std::vector<CopyLine>& lines = of.lines();
  std::map<std::int64_t, std::vector<HostCall>> calls;
  for (const auto& wait : waits) {
    const std::size_t cause = of.cause_of(wait);
    if (cause == kOtherCause && !is_wait(wait)) continue;
    if (cause != kOtherCause) ++lines[cause].waits;
    calls[wait.process_id.value].push_back({wait.start_ns, wait.start_ns + wait.wait_ns, cause});
  }
  const auto behind = idle_behind_calls(
      std::move(calls), occupied, lines.size(), [&](std::size_t line, std::int64_t of_waits) {
        return real(lines[line].copies_ns) * real(of_waits) / std::max(1.0, real(lines[line].waits));
      });
  for (std::size_t line = 0; line < lines.size(); ++line) {
    if (behind[line].calls == 0 || lines[line].copies_ns == 0) continue;
    // What was measured, or not listed, is taken to be like the rest.
    const double idle_ns = behind[line].idle_ns * real(lines[line].waits) / real(behind[line].calls);
    for (SiteUse* const use : lines[line].uses)
      use->idle_ns = base::whole(idle_ns * real(use->estimated_ns) / real(lines[line].copies_ns));
  }
}

}  // namespace coalescope::analysis
