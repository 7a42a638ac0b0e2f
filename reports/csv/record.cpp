#include "reports/csv/record.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "core/base/clean.h"

namespace coalescope::csv {
namespace {

// Their full-width forms are formulas in some languages' spreadsheets.
constexpr std::array<std::string_view, 8> kFormulas{
    "=", "+", "-", "@", "\xEF\xBC\x9D", "\xEF\xBC\x8B", "\xEF\xBC\x8D", "\xEF\xBC\xA0"};

}  // namespace

std::string no_formula(std::string value) {
  // Spreadsheets look past leading blanks and quotes.
  const std::size_t begin = std::min(value.find_first_not_of(" '\""), value.size());
  const std::string_view seen = std::string_view(value).substr(begin);
  if (std::ranges::any_of(kFormulas, [&](std::string_view sign) { return seen.starts_with(sign); }))
    value.insert(value.begin(), '\'');
  return value;
}

std::string quoted(std::string_view value) {
  const bool edge = value.starts_with(' ') || value.ends_with(' ');  // some readers trim what is not quoted
  if (!edge && value.find_first_of(",\"\r\n;\t") == std::string_view::npos) return std::string(value);
  std::string text = "\"";
  for (const char c : value) text.append(c == '"' ? 2 : 1, c);
  return text + '"';
}

void Record::field(std::string_view name, std::string_view value) {
  if (!first_) out_ += ',';
  first_ = false;
  out_ += part_ == Part::heading ? name : value;
}

void Record::text(std::string_view name, std::optional<std::string_view> value) {
  field(name, part_ == Part::heading ? "" : csv::quoted(no_formula(base::clean(value.value_or("")))));
}

void Record::number(std::string_view name, std::optional<std::int64_t> value) {
  field(name, value ? fmt::format("{}", *value) : "");
}

void Record::number(std::string_view name, std::optional<double> value) {
  field(name, value && std::isfinite(*value) ? fmt::format("{}", *value) : "");
}

void Record::yes_or_no(std::string_view name, bool value) {
  field(name, value ? "true" : "false");
}

void Record::end() {
  out_ += "\r\n";
}

}  // namespace coalescope::csv
