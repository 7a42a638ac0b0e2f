#include "core/model/setting_values.h"

#include <algorithm>
#include <charconv>

#include "core/base/duration.h"
#include "core/base/whole.h"
#include "core/model/phases.h"

namespace coalescope::model {
namespace {

template <class Number>
std::optional<Number> whole_text(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

bool add_phases(std::string_view name, Phases& phases) {
  bool known = false;
  for (const WayOfMeasuring& way : kWaysOfMeasuring) {
    const bool is_named = name == name_of(way.phase) || (name == "counters" && way.replayed);
    if (way.phase == Phase::replay || !is_named) continue;
    known = phases[static_cast<std::size_t>(way.phase)] = true;
  }
  return known;
}

}  // namespace

std::int64_t Budget::allowed_ns(std::int64_t run_ns) const {
  return base::sum_of(grant_ns, base::whole(share * static_cast<double>(run_ns)));
}

std::int64_t Budget::allowed_for_first_ns(std::int64_t run_ns) const {
  const auto first_ns = base::whole(first_share * static_cast<double>(run_ns));
  return std::max(allowed_ns(run_ns), std::min(first_ns, most_first_ns));
}

std::optional<BudgetSetting> read_budget(std::string_view text) {
  if (text == "auto") return BudgetSetting{kDefaultBudget};
  if (text == "none") return BudgetSetting{};
  if (const auto length = base::parse_duration_ns(text)) return BudgetSetting{Budget{0, *length}};
  if (!text.ends_with('%')) return std::nullopt;
  const auto percent = whole_text<double>(text.substr(0, text.size() - 1));
  if (!percent || !(*percent >= 0)) return std::nullopt;
  return BudgetSetting{Budget{*percent / 100, *percent == 0 ? 0 : kDefaultBudget.grant_ns}};
}

std::optional<Phases> read_phases(std::string_view text) {
  Phases phases{};
  phases[static_cast<std::size_t>(Phase::trace)] = true;
  for (;;) {
    const auto comma = text.find(',');
    if (!add_phases(text.substr(0, comma), phases)) return std::nullopt;
    if (comma == std::string_view::npos) return phases;
    text.remove_prefix(comma + 1);
  }
}

std::optional<TraceSetting> read_trace(std::string_view text) {
  if (text == "all") return TraceSetting{};
  const auto most = read_number(text, 1);
  return most ? std::optional(TraceSetting{most}) : std::nullopt;
}

std::optional<std::int64_t> read_number(std::string_view text, std::int64_t least) {
  const auto number = whole_text<std::int64_t>(text);
  return number && *number >= least ? number : std::nullopt;
}

std::optional<Stacks> read_stacks(std::string_view text) {
  if (text == "none") return Stacks::none;
  if (text == "python") return Stacks::python;
  return text == "all" ? std::optional(Stacks::all) : std::nullopt;
}

bool is_allocations(std::string_view text) {
  return text == "pytorch";
}

std::optional<bool> read_choice(std::string_view text, const Choice& choice) {
  if (text != choice.yes && text != choice.no) return std::nullopt;
  return text == choice.yes;
}

}  // namespace coalescope::model
