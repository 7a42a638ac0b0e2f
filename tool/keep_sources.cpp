#include "tool/keep_sources.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/capture/reader.h"
#include "core/capture/writer.h"
#include "core/source/source_file.h"
#include "reports/analysis/rows/call_stacks.h"

namespace coalescope::tool {

namespace {

using base::Result;

constexpr std::size_t kMostFiles = 64;
constexpr std::size_t kMostSourceBytes = 1 << 20;

struct Kept {
  std::optional<source::SourceFile> file;  // nullopt: it cannot be read
  std::map<std::int64_t, std::string> lines;
};
using KeptFiles = std::map<std::string, Kept>;

using Places = std::vector<capture::MeasuredLine>;

// Lines of the author's own code from which calls came, by the default rules of whose code it is.
Places own_calls(const std::vector<model::CallSite>& sites) {
  std::set<std::pair<std::string, std::int64_t>> lines;
  for (const analysis::CallSiteRow& row : analysis::call_site_rows(sites, {}))
    if (row.own && row.file && row.line.value_or(0) > 0) lines.emplace(*row.file, *row.line);
  Places places;
  for (const auto& [file, line] : lines) places.push_back({file, line});
  return places;
}

// Adds to `kept`, up to so many files and bytes more.
void choose(const Places& places, const std::string& directory, KeptFiles& kept) {
  const std::size_t most_files = kept.size() + kMostFiles;
  std::size_t bytes = 0;
  for (const auto& [name, line] : places) {
    const auto known = kept.find(name);
    if (known == kept.end() && kept.size() == most_files) continue;
    Kept& chosen = known == kept.end() ? kept[name] : known->second;
    if (known == kept.end()) chosen.file = source::read_source(std::filesystem::path(directory) / name);
    if (!chosen.file) continue;
    const auto last = std::min<std::int64_t>(line + source::kContext, std::ssize(chosen.file->lines));
    for (auto number = std::max<std::int64_t>(1, line - source::kContext); number <= last; ++number) {
      if (chosen.lines.contains(number)) continue;
      const std::string& text = chosen.file->lines[static_cast<std::size_t>(number - 1)];
      bytes += text.size();
      if (bytes > kMostSourceBytes) return;
      chosen.lines.emplace(number, text);
    }
  }
}

// The reader is gone when the file is written: SQLite would find it locked.
Result<KeptFiles> chosen_from(const std::filesystem::path& capture, const std::string& directory) {
  auto reader = capture::Reader::open(capture.string());
  if (!reader) return base::relay(reader);
  const auto measured = reader->measured_lines();
  if (!measured) return base::relay(measured);
  const auto sites = reader->rows<model::CallSite>();
  if (!sites) return base::relay(sites);
  KeptFiles kept;
  choose(*measured, directory, kept);
  choose(own_calls(*sites), directory, kept);
  return kept;
}

Result<void> write(capture::Writer& writer, const KeptFiles& kept) {
  model::SourceFile row;
  for (const auto& [name, chosen] : kept) {
    if (chosen.lines.empty()) continue;
    row = {model::SourceFileId{row.id.value + 1}, name, chosen.file->sha256, chosen.file->bytes};
    if (auto inserted = writer.insert(row); !inserted) return base::relay(inserted);
    for (const auto& [number, text] : chosen.lines)
      if (auto inserted = writer.insert(model::SourceLine{row.id, number, text}); !inserted)
        return base::relay(inserted);
  }
  return writer.commit();
}

}  // namespace

Result<void> keep_sources(const std::filesystem::path& capture, const std::string& directory) {
  const auto kept = chosen_from(capture, directory);
  if (!kept) return base::relay(kept);
  if (kept->empty()) return {};
  return capture::Writer::open(capture.string()).and_then([&](capture::Writer writer) {
    return write(writer, *kept);
  });
}

}  // namespace coalescope::tool
