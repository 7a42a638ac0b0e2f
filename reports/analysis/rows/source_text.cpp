#include "reports/analysis/rows/source_text.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/clean.h"
#include "reports/analysis/notice_kinds.h"

namespace coalescope::analysis {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 64;        // read here
constexpr std::size_t kMostExcerpts = 16;     // files shown with their text
constexpr std::size_t kLinesOfInterest = 24;  // a file, of each kind: of kernels, and that call

bool is_below(const fs::path& path, const fs::path& root) {
  return std::mismatch(root.begin(), root.end(), path.begin(), path.end()).first == root.end();
}

struct LineSums {
  std::int64_t sectors = 0, ideal_sectors = 0;
};
using SumsByLine = std::map<std::int64_t, LineSums>;

SourceExcerpt excerpt(const std::string& file, SourceFiles& files, const SumsByLine& sums,
                      const std::vector<std::int64_t>& of_interest) {
  std::map<std::int64_t, SourceExcerpt::Line> lines;
  for (const auto centre : of_interest)
    for (auto number = std::max<std::int64_t>(1, centre - source::kContext);
         number <= centre + source::kContext; ++number) {
      const std::string* text = files.line(file, number);
      if (!text) continue;
      SourceExcerpt::Line line{number, *text, std::nullopt, std::nullopt};
      if (const auto found = sums.find(number); found != sums.end()) {
        line.sectors = found->second.sectors;
        line.ideal_sectors = found->second.ideal_sectors;
      }
      lines.emplace(number, std::move(line));
    }
  SourceExcerpt result{file, {}};
  for (auto& [number, line] : lines) result.lines.push_back(std::move(line));
  return result;
}

// Which lines are shown, and of which files.
struct Interest {
  std::unordered_map<std::string, std::vector<std::int64_t>> lines;
  std::vector<std::string> order;  // of the files: worst first, as the rows come
  std::unordered_map<std::string, std::size_t> chosen;

  void begin_next_kind() { chosen.clear(); }
  std::optional<std::string> text_of(const std::string& file, std::int64_t line, SourceFiles& files) {
    const std::string* text = files.line(file, line);
    if (text == nullptr) {
      files.miss(file);
      return std::nullopt;
    }
    auto& of_file = lines[file];
    if (of_file.empty()) order.push_back(file);
    if (chosen[file]++ < kLinesOfInterest) of_file.push_back(line);
    return *text;
  }
};

// "a.cu", or "3 files, such as a.cu".
std::string names(std::int64_t count, const std::string& first) {
  const std::string name = fmt::format("'{}'", base::clean(first));
  return count == 1 ? name : fmt::format("{} files, such as {},", count, name);
}

}  // namespace

SourceFiles::SourceFiles(std::string directory, const SourceOptions& options,
                         const std::vector<model::SourceFile>& recorded_files,
                         const std::vector<model::SourceLine>& recorded_lines)
    : directory_(std::move(directory)), shown_(options.shown) {
  if (!shown_) return;
  for (const fs::path& root : options.roots) {
    std::error_code error;
    if (fs::path canonical = fs::canonical(root, error); !error) roots_.push_back(std::move(canonical));
  }
  // Processes whose captures were merged may have seen different states of a file: the first one counts.
  std::unordered_map<model::SourceFileId, File*> by_id;
  for (const auto& row : recorded_files) {
    File& file = files_[row.path];
    if (file.sha256.empty()) file.sha256 = row.sha256;
    if (file.sha256 == row.sha256) by_id.emplace(row.id, &file);
  }
  for (const auto& row : recorded_lines)
    if (const auto file = by_id.find(row.source_file_id); file != by_id.end())
      file->second->recorded.emplace(row.line, source::shortened(row.text));
}

std::optional<fs::path> SourceFiles::allowed(const std::string& name) const {
  const fs::path named = fs::path(directory_) / name;
  if (named.native().find('\0') != std::string::npos) return std::nullopt;
  std::error_code error;
  // Links are followed first, and what they lead to is judged.
  fs::path path = fs::weakly_canonical(named, error);
  if (error) return std::nullopt;
  const auto holds = [&](const fs::path& root) { return is_below(path, root); };
  if (!std::ranges::any_of(roots_, holds)) return std::nullopt;
  return path;
}

void SourceFiles::look_for(const std::string& name, File& file) {
  const auto path = allowed(name);
  file.here = path ? Here::unreadable : Here::outside;
  if (!path || read_here_ == kMostFiles) return;
  auto found = source::read_source(*path);
  if (!found) return;
  ++read_here_;
  file.here = file.sha256.empty() || file.sha256 == found->sha256 ? Here::read : Here::changed;
  if (file.here == Here::read) file.lines = std::move(found->lines);
}

const std::string* SourceFiles::line(const std::string& name, std::int64_t number) {
  if (!shown_ || number < 1) return nullptr;
  File& file = files_[name];
  if (file.here == Here::not_looked_for) look_for(name, file);
  if (const auto recorded = file.recorded.find(number); recorded != file.recorded.end())
    return &recorded->second;
  if (static_cast<std::size_t>(number) <= file.lines.size())
    return &file.lines[static_cast<std::size_t>(number - 1)];
  return nullptr;
}

void SourceFiles::miss(const std::string& name) {
  if (shown_) files_[name].missed = true;
}

std::vector<model::Diagnostic> SourceFiles::notices() const {
  struct Sum {
    std::int64_t files = 0;
    std::string first;
  };
  Sum changed, outside, unreadable;
  for (const auto& [name, file] : files_) {
    Sum* sum = nullptr;
    if (file.here == Here::changed) sum = &changed;
    if (file.missed && file.here == Here::outside) sum = &outside;
    if (file.missed && file.here == Here::unreadable) sum = &unreadable;
    if (sum && sum->files++ == 0) sum->first = name;
  }
  std::vector<model::Diagnostic> notices;
  const auto add = [&](const model::DiagnosticKind& kind, const Sum& sum) {
    if (sum.files > 0) notices.push_back(make_diagnostic(kind, {names(sum.files, sum.first)}));
  };
  add(notice_kind("source_changed"), changed);
  add(notice_kind("source_outside"), outside);
  if (outside.files == 0) add(notice_kind("source_unreadable"), unreadable);
  return notices;
}

std::vector<SourceExcerpt> take_sources(std::vector<LineRow>& lines, std::vector<CallLineRow>& call_lines,
                                        SourceFiles& files) {
  Interest interest;
  std::unordered_map<std::string, SumsByLine> sums;
  for (LineRow& row : lines) {
    if (!row.file || !row.line) continue;
    row.text = interest.text_of(*row.file, *row.line, files);
    if (!row.text || !row.sectors || !row.ideal_sectors) continue;
    auto& sum = sums[*row.file][*row.line];
    sum.sectors += *row.sectors;
    sum.ideal_sectors += *row.ideal_sectors;
  }
  interest.begin_next_kind();
  for (CallLineRow& row : call_lines) row.text = interest.text_of(row.file, row.line, files);
  std::vector<SourceExcerpt> excerpts;
  for (const auto& file : interest.order) {
    if (excerpts.size() == kMostExcerpts) break;
    excerpts.push_back(excerpt(file, files, sums[file], interest.lines[file]));
  }
  return excerpts;
}

}  // namespace coalescope::analysis
