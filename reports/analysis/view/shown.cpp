#include "reports/analysis/view/shown.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/units.h"
#include "core/base/utf8.h"
#include "core/base/whole.h"
#include "reports/analysis/rows/kernel_rows.h"
#include "reports/analysis/rows/unmeasured.h"

namespace coalescope::analysis {
namespace {

using model::Phase;
using State = Shown::State;

// "launches" becomes "launch"; "ns" has no plural.
std::string singular(std::string_view unit) {
  if (unit.size() <= 2 || !unit.ends_with('s')) return std::string(unit);
  if (unit.ends_with("ies")) return std::string(unit.substr(0, unit.size() - 3)) + "y";
  const bool hisses = unit.ends_with("ches") || unit.ends_with("sses");
  return std::string(unit.substr(0, unit.size() - (hisses ? 2 : 1)));
}

const FamilyPhase* phase_of(const KernelFamily& family, Phase phase) {
  const auto found = std::ranges::find(family.phases, phase, &FamilyPhase::phase);
  return found == family.phases.end() ? nullptr : &*found;
}

Samples samples_in(const KernelRow& row, Phase phase) {
  const auto member = samples_of(phase);
  return member ? row.*member : Samples{row.timed_launches, row.launches};
}

}  // namespace

Shown not_there(State state) {
  const std::string_view text = state == State::none           ? kNone
                                : state == State::not_measured ? kNotMeasured
                                                               : kUnknown;
  return {.text = std::string(text), .state = state};
}

Shown shown(Show show, std::string_view unit, std::int64_t value) {
  const auto real = static_cast<double>(value);
  switch (show) {
    case Show::bytes:
      return {base::format_bytes(real), exact_count(value, "bytes"), real};
    case Show::ns:
      return {base::format_ns(value), exact_count(value, "ns"), real};
    case Show::clock:
      return {base::format_count(value / 1000) + " MHz", exact_count(value, "kHz"), real};
    case Show::flag:
      return {value != 0 ? "yes" : "no", "", real};
    case Show::text:
      return {std::to_string(value), "", real};
    case Show::address:
      return {fmt::format("{:#x}", value), "", real};
    default:
      return {base::format_count(value), exact_count(value, unit), real};
  }
}

Shown shown(Show show, std::string_view unit, double value) {
  switch (show) {
    case Show::degree:
      return {value > 1 ? "> 100 %" : base::format_share(value),
              fmt::format("{} {}", exact_share(value), unit), value};
    case Show::share:
      return {base::format_share(value), fmt::format("{} {}", exact_share(value), unit), value};
    case Show::bandwidth:
      return {base::format_bandwidth(value), exact_bandwidth(value), value};
    default:
      return {base::format_ratio(value), fmt::format("{:.6g} {}", value, unit), value};
  }
}

Shown shown(std::string_view text) {
  return {.text = std::string(text)};
}

Shown shown(const std::array<std::int64_t, 3>& size, std::string_view unit) {
  std::string text = base::format_count(size[0]);
  if (size[1] != 1 || size[2] != 1) text += "x" + base::format_count(size[1]);
  if (size[2] != 1) text += "x" + base::format_count(size[2]);
  return {.text = text, .exact = text + " " + std::string(unit)};
}

Shown shown(const std::vector<std::string>& words) {
  return {.text = joined(words)};
}

Shown shown(const Samples& samples) {
  return {base::format_count(samples.measured), samples_text(samples), static_cast<double>(samples.measured)};
}

Shown shown(const Mixed& mixed) {
  return {.text = fmt::format("{} from {} to {} in {}", upper_first(spoken(mixed.count)),
                              base::format_count(mixed.least), base::format_count(mixed.greatest),
                              counted(mixed.launches, "launch", "launches"))};
}

Shown shown_range(Shown least, const Shown& greatest) {
  if (least.state != State::there || least.text == greatest.text) return least;
  // "66.7 to 83.5 %": a unit that both have is said once.
  const std::size_t at = least.text.rfind(' ');
  if (at != least.text.npos && greatest.text.ends_with(least.text.substr(at))) least.text.resize(at);
  least.text += " to " + greatest.text;
  least.exact += "; " + greatest.exact;
  return least;
}

Why why_missing(const KernelRow& row, Phase phase, std::optional<Phase> also) {
  if (also && samples_in(row, phase).measured > 0 && samples_in(row, *also).measured == 0) phase = *also;
  const auto gap = std::ranges::find(row.unmeasured, phase, &Unmeasured::phase);
  if (gap == row.unmeasured.end()) return {"", "the capture does not say why"};
  return {std::string(cause_of(gap->reason)), gap->text};
}

Why why_missing(const KernelFamily& row, Phase phase, std::optional<Phase>) {
  return {"", phase == Phase::trace ? "no launch of it was timed" : sampled(row, phase)};
}

bool leaves_it_to_tma(const KernelRow& row, const Access& access) {
  return (&access == &row.load || &access == &row.store) && row.tma_instructions.value_or(0) > 0;
}

bool leaves_it_to_tma(const KernelFamily& row, const KernelFamily&) {
  return row.uses_tma;
}

std::string sampled(const KernelRow& row, Phase phase) {
  return samples_text(samples_in(row, phase));
}

std::string sampled(const KernelFamily& row, Phase phase) {
  if (phase == Phase::trace) return samples_text({row.timed_launches, row.launches});
  const FamilyPhase* measured = phase_of(row, phase);
  return fmt::format("measured in {} of {}", measured ? measured->shapes : 0,
                     counted(row.shapes, "shape", "shapes"));
}

std::string range_of_loss(const Finding& finding) {
  if (!finding.least_lost_ns || !finding.most_lost_ns) return {};
  return shown_range(shown(Show::ns, "ns", *finding.least_lost_ns),
                     shown(Show::ns, "ns", *finding.most_lost_ns))
      .text;
}

std::string share_of_loss(const Finding& finding, const Report& report) {
  const bool waits = is_of_waits(finding);
  if (waits && (!finding.lost_ns || report.totals.wall_ns.value_or(0) <= 0)) return {};
  const auto share = saved_share(finding, report);
  return share ? base::format_share(*share) + (waits ? " of the run" : " of the GPU time") : "";
}

std::string samples_text(const Samples& samples) {
  return fmt::format("{} of {} measured", base::format_count(samples.measured),
                     counted(samples.seen, "launch", "launches"));
}

std::string exact_count(std::int64_t count, std::string_view unit) {
  return base::format_count(count) + (unit.empty() ? "" : " ") +
         (count == 1 ? singular(unit) : std::string(unit));
}

std::string exact_share(double share) {
  return fmt::format("{:.6g} %", share * 100.0);
}

std::string exact_bandwidth(double bytes_per_second) {
  return exact_count(base::whole(std::floor(bytes_per_second)), "bytes per second");
}

std::string counted(std::int64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", base::format_count(count), count == 1 ? one : many);
}

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  return fmt::format("{}", fmt::join(words, between));
}

std::string spoken(std::string_view name) {
  std::string text(name);
  std::ranges::replace(text, '_', ' ');
  return text;
}

std::string upper_first(std::string_view text) {
  std::string changed(text);
  if (!changed.empty()) changed[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(changed[0])));
  return changed;
}

std::string lower_first(std::string_view text) {
  std::string changed(text);
  const bool acronym = changed.size() > 1 && !std::islower(static_cast<unsigned char>(changed[1]));
  if (!changed.empty() && !acronym)
    changed[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(changed[0])));
  return changed;
}

std::string place_of(const LineRow& row) {
  if (row.file && row.line) return fmt::format("{}:{}", *row.file, *row.line);
  return fmt::format("offset {:#x}", row.pc_offset.value_or(0));
}

std::string shortened(std::string_view text, std::size_t most) {
  std::size_t characters = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!base::begins_character(text[at]) || ++characters <= most) continue;
    // The last character that fits gives way to the ellipsis.
    std::size_t end = at - 1;
    while (end > 0 && !base::begins_character(text[end])) --end;
    return std::string(text.substr(0, end)) + "…";
  }
  return std::string(text);
}

}  // namespace coalescope::analysis
