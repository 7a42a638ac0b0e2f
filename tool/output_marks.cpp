#include "tool/output_marks.h"

#include <algorithm>
#include <array>

#include "core/capture/schema.h"
#include "reports/csv/csv.h"
#include "tool/report_formats.h"

namespace coalescope::tool {

namespace {

// What is no report of one capture in a format of its own.
constexpr std::array kOthers{
    OutputMark{"{", {"\"schema_version\"", "\"comparison\": {"}},
    OutputMark{"{", {"\"schema_version\"", "\"check\": {"}},
    OutputMark{"<?xml", {"<testsuite name=\"coalescope: ", ""}},
    OutputMark{"coalescope diff: ", {"\n  Before: ", ""}},
    OutputMark{"coalescope check: ", {"\n  Capture: ", ""}},
    OutputMark{"coalescope: ", {"\nran ", ""}},
    OutputMark{"coalescope: ", {"\nend not seen", ""}},
};

bool has(const OutputMark& mark, std::string_view text) {
  return !mark.begins.empty() && text.starts_with(mark.begins) &&
         std::ranges::all_of(mark.holds,
                             [&](std::string_view words) { return text.find(words) != text.npos; });
}

// CSV has no place for a mark: the whole heading of a table is one.
bool is_table(std::string_view text) {
  const std::string_view first_line = text.substr(0, text.find_first_of("\r\n"));
  return std::ranges::any_of(csv::table_names(), [&](const std::string& name) {
    return csv::heading(*csv::table_of(name)) == first_line;
  });
}

// A SQLite file whose application_id, at offset 68 of its header, is ours.
bool is_capture(std::string_view text) {
  constexpr std::size_t kIdOffset = 68, kIdBytes = 4;
  if (!text.starts_with("SQLite format 3") || text.size() < kIdOffset + kIdBytes) return false;
  std::int64_t id = 0;
  for (const char byte : text.substr(kIdOffset, kIdBytes)) id = id * 256 + static_cast<unsigned char>(byte);
  return id == capture::kApplicationId;
}

}  // namespace

std::optional<OutputKind> kind_of(std::string_view beginning) {
  if (is_capture(beginning)) return OutputKind::capture;
  const bool is_report =
      std::ranges::any_of(kOthers, [&](const OutputMark& mark) { return has(mark, beginning); }) ||
      std::ranges::any_of(report_formats(),
                          [&](const ReportFormat& format) { return has(format.mark, beginning); }) ||
      is_table(beginning);
  if (is_report) return OutputKind::report;
  return std::nullopt;
}

}  // namespace coalescope::tool
