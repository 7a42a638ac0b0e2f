#include "core/source/source_file.h"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <sha2.h>
#include <sstream>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/scope_exit.h"
#include "core/base/utf8.h"

namespace coalescope::source {
namespace {

constexpr std::size_t kMostBytes = 4 << 20;
constexpr std::size_t kLineBytes = 1000;
constexpr std::array<std::string_view, 13> kExtensions{".cu", ".cuh", ".h",   ".hh",  ".hpp", ".hxx", ".c",
                                                       ".cc", ".cpp", ".cxx", ".inl", ".inc", ".py"};

bool named_like_source(const std::filesystem::path& path) {
  return std::ranges::find(kExtensions, path.extension().string()) != kExtensions.end();
}

// What is not a regular file is not opened: to open a device may do something.
std::optional<std::string> read_regular_file(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return std::nullopt;
  const base::ScopeExit close_it([descriptor] { ::close(descriptor); });
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
    lines.push_back(shortened(line));
  }
  return lines;
}

std::string sha256_of(const std::string& text) {
  std::array<char, SHA256_DIGEST_STRING_LENGTH> digits{};
  SHA256Data(reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), digits.data());
  return digits.data();
}

}  // namespace

std::string shortened(const std::string& line) {
  return std::string(base::cut_utf8(line, kLineBytes));
}

std::optional<SourceFile> read_source(const std::filesystem::path& path) {
  // The system would see such a name end at the zero.
  if (path.native().find('\0') != std::string::npos || !named_like_source(path)) return std::nullopt;
  const auto text = read_regular_file(path.string());
  if (!text) return std::nullopt;
  return SourceFile{split_lines(*text), sha256_of(*text), static_cast<std::int64_t>(text->size())};
}

}  // namespace coalescope::source
