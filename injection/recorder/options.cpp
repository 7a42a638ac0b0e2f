#include "injection/recorder/options.h"

#include <array>
#include <charconv>

#include "core/model/options.h"

namespace coalescope::recorder {
namespace {

using base::ErrorCode;
using base::failure;

template <class Number>
bool parse(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

base::Result<void> read_phases(std::string_view list, RecorderOptions& options) {
  struct Switch {
    std::string_view name;
    bool RecorderOptions::*member;
  };
  constexpr std::array kSwitches{
      Switch{"bytes", &RecorderOptions::measure_bytes}, Switch{"lines", &RecorderOptions::measure_lines},
      Switch{"traffic", &RecorderOptions::measure_traffic}, Switch{"hits", &RecorderOptions::measure_hits}};
  for (const auto& entry : kSwitches) options.*entry.member = false;
  while (!list.empty()) {
    const auto comma = list.find(',');
    const auto name = list.substr(0, comma);
    list = comma == std::string_view::npos ? std::string_view{} : list.substr(comma + 1);
    bool known = name.empty() || name == "trace";
    for (const auto& entry : kSwitches)
      if (entry.name == name) known = options.*entry.member = true;
    if (!known)
      return failure(ErrorCode::usage, "unknown phase '" + std::string(name) + "'",
                     "use bytes, lines, traffic, hits or trace");
  }
  return {};
}

base::Result<void> read_budget(std::string_view text, RecorderOptions& options) {
  if (text == "none") {
    options.budget_share = std::nullopt;
    return {};
  }
  double percent = 0;
  if (!text.ends_with('%') || !parse(text.substr(0, text.size() - 1), percent) || percent < 0)
    return failure(ErrorCode::usage, "budget '" + std::string(text) + "' is not understood",
                   "write a share of the run such as 10%, or none");
  options.budget_share = percent / 100;
  return {};
}

}  // namespace

bool RecorderOptions::wants(model::Phase phase) const {
  switch (phase) {
    case model::Phase::trace:
      return true;
    case model::Phase::bytes:
      return measure_bytes;
    case model::Phase::lines:
      return measure_lines;
    case model::Phase::traffic:
      return measure_traffic;
    case model::Phase::hits:
      return measure_hits;
    case model::Phase::replay:
      return false;
  }
  return false;
}

base::Result<std::optional<RecorderOptions>> read_options(const ReadVariable& read) {
  namespace option = model::option;
  RecorderOptions options;
  const auto directory = read(option::kDirectory);
  if (!directory || directory->empty()) return std::nullopt;
  options.directory = *directory;
  if (const auto text = read(option::kStartedNs); text && !parse(*text, options.started_unix_ns))
    return failure(ErrorCode::usage, std::string(option::kStartedNs) + "='" + *text + "' is not a number");
  if (const auto text = read(option::kSamples);
      text && (!parse(*text, options.samples) || options.samples < 1))
    return failure(ErrorCode::usage,
                   std::string(option::kSamples) + "='" + *text + "' is not a positive number");
  if (const auto text = read(option::kPhases)) {
    if (auto done = read_phases(*text, options); !done) return tl::unexpected(done.error());
  }
  if (const auto text = read(option::kBudget)) {
    if (auto done = read_budget(*text, options); !done) return tl::unexpected(done.error());
  }
  options.exclude = read(option::kExclude).value_or("");
  options.cupti_folder = read(option::kCuptiPath).value_or("");
  return options;
}

}  // namespace coalescope::recorder
