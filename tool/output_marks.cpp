#include "tool/output_marks.h"

#include <algorithm>
#include <array>

#include "core/capture/schema.h"
#include "reports/csv/csv.h"

namespace coalescope::tool {

namespace {

// A format's first words, and what else must stand in its beginning.
struct Mark {
  std::string_view begins;
  std::array<std::string_view, 2> holds;
};
constexpr std::array kReports{
    Mark{"<!doctype html>", {"<meta name=\"generator\" content=\"coalescope\">", ""}},
    Mark{"{", {"\"schema_version\"", "\"capture_path\""}},
    Mark{"{", {"\"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\"", "\"name\": \"coalescope\""}},
    Mark{"## coalescope: `", {"", ""}},
    Mark{"{", {"\"schema_version\"", "\"comparison\": {"}},
    Mark{"{", {"\"schema_version\"", "\"check\": {"}},
    Mark{"<?xml", {"<testsuite name=\"coalescope: ", ""}},
    Mark{"coalescope diff: ", {"\n  Before: ", ""}},
    Mark{"coalescope check: ", {"\n  Capture: ", ""}},
    Mark{"coalescope: ", {"\nran ", ""}},
    Mark{"coalescope: ", {"\nend not seen", ""}},
};

bool has(const Mark& mark, std::string_view text) {
  return text.starts_with(mark.begins) && std::ranges::all_of(mark.holds, [&](std::string_view words) {
           return text.find(words) != text.npos;
         });
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
      std::ranges::any_of(kReports, [&](const Mark& mark) { return has(mark, beginning); }) ||
      is_table(beginning);
  if (is_report) return OutputKind::report;
  return std::nullopt;
}

}  // namespace coalescope::tool
