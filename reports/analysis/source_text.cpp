#include "reports/analysis/source_text.h"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <sstream>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/scope_exit.h"

namespace coalescope::analysis {
namespace {

constexpr std::size_t kMostFiles = 64;
constexpr std::size_t kMostBytes = 4 << 20;   // of one file
constexpr std::size_t kMostExcerpts = 16;     // files shown with their text
constexpr std::size_t kLinesOfInterest = 24;  // a file
constexpr std::int64_t kContext = 3;          // lines before and after one of interest
constexpr std::array<std::string_view, 13> kExtensions{".cu", ".cuh", ".h",   ".hh",  ".hpp", ".hxx", ".c",
                                                       ".cc", ".cpp", ".cxx", ".inl", ".inc", ".py"};

bool named_like_source(const std::filesystem::path& path) {
  return std::ranges::find(kExtensions, path.extension().string()) != kExtensions.end();
}

// Without waiting (a pipe) and without side effects (a device): what is not a regular file is closed unread.
std::optional<std::string> read_regular_file(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return std::nullopt;
  const base::ScopeExit close_it([descriptor] { ::close(descriptor); });
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  if (status.st_size < 0 || static_cast<std::size_t>(status.st_size) > kMostBytes) return std::nullopt;
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t filled = 0;
  while (filled < text.size()) {
    const auto got = ::read(descriptor, text.data() + filled, text.size() - filled);
    if (got <= 0) break;
    filled += static_cast<std::size_t>(got);
  }
  text.resize(filled);
  return text;
}

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(std::move(line));
  }
  return lines;
}

struct LineSums {
  std::int64_t sectors = 0, ideal_sectors = 0;
};
using SumsByLine = std::map<std::int64_t, LineSums>;

SourceExcerpt excerpt(const std::string& file, const std::vector<std::string>& text, const SumsByLine& sums,
                      const std::vector<std::int64_t>& of_interest) {
  std::map<std::int64_t, SourceExcerpt::Line> lines;
  for (const auto centre : of_interest)
    for (auto number = std::max<std::int64_t>(1, centre - kContext); number <= centre + kContext; ++number) {
      if (static_cast<std::size_t>(number) > text.size()) break;
      SourceExcerpt::Line line{number, text[static_cast<std::size_t>(number - 1)], std::nullopt,
                               std::nullopt};
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

}  // namespace

const std::vector<std::string>* SourceFiles::lines_of(const std::string& file) {
  if (const auto known = files_.find(file); known != files_.end())
    return known->second ? &*known->second : nullptr;
  if (files_.size() >= kMostFiles) return nullptr;
  auto& entry = files_[file];
  const std::filesystem::path path = std::filesystem::path(directory_) / file;
  if (file.find('\0') == std::string::npos && named_like_source(path))
    if (const auto text = read_regular_file(path.string())) entry = split_lines(*text);
  return entry ? &*entry : nullptr;
}

std::vector<SourceExcerpt> take_sources(std::vector<LineRow>& lines, SourceFiles& files) {
  std::unordered_map<std::string, SumsByLine> sums;
  std::unordered_map<std::string, std::vector<std::int64_t>> of_interest;
  std::vector<std::string> order;  // worst file first, as `lines` has it
  for (auto& row : lines) {
    if (!row.file || !row.line || *row.line < 1) continue;
    const auto* text = files.lines_of(*row.file);
    if (!text || static_cast<std::size_t>(*row.line) > text->size()) continue;
    row.text = (*text)[static_cast<std::size_t>(*row.line - 1)];
    auto& chosen = of_interest[*row.file];
    if (chosen.empty()) order.push_back(*row.file);
    if (chosen.size() < kLinesOfInterest) chosen.push_back(*row.line);
    if (!row.sectors || !row.ideal_sectors) continue;
    auto& sum = sums[*row.file][*row.line];
    sum.sectors += *row.sectors;
    sum.ideal_sectors += *row.ideal_sectors;
  }
  std::vector<SourceExcerpt> excerpts;
  for (const auto& file : order) {
    if (excerpts.size() == kMostExcerpts) break;
    excerpts.push_back(excerpt(file, *files.lines_of(file), sums[file], of_interest[file]));
  }
  return excerpts;
}

}  // namespace coalescope::analysis
