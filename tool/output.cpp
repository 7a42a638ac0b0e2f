#include "tool/output.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/capture/reader.h"

namespace coalescope::tool {

using base::ErrorCode;
using base::failure;
using base::Result;

Result<void> write_all(std::FILE* stream, std::string_view text, const std::string& name) {
  if (std::fwrite(text.data(), 1, text.size(), stream) == text.size() && std::fflush(stream) == 0) return {};
  return failure(ErrorCode::usage, fmt::format("cannot write {}: {}", name, std::strerror(errno)));
}

Result<void> write_file(const std::string& path, std::string_view text) {
  if (capture::Reader::open(path))
    return failure(ErrorCode::usage, fmt::format("cannot write the report to '{}': it is a capture", path),
                   "give the report another name");
  const std::string draft = fmt::format("{}.{}.tmp", path, ::getpid());
  std::FILE* file = std::fopen(draft.c_str(), "wxe");
  if (file == nullptr)
    return failure(ErrorCode::usage,
                   fmt::format("cannot write the report to '{}': {}", path, std::strerror(errno)),
                   "choose a file in a folder that exists and that you may write to");
  auto written = write_all(file, text, fmt::format("the report to '{}'", path));
  const bool closed = std::fclose(file) == 0;
  if (written && closed && std::rename(draft.c_str(), path.c_str()) == 0) return {};
  if (written)
    written = failure(ErrorCode::usage,
                      fmt::format("cannot write the report to '{}': {}", path, std::strerror(errno)));
  std::remove(draft.c_str());
  return written;
}

text::TextOptions text_options_for(std::FILE* stream) {
  text::TextOptions options;
  winsize size{};
  if (::isatty(::fileno(stream)) == 0 || ::ioctl(::fileno(stream), TIOCGWINSZ, &size) != 0) return options;
  options.colour = std::getenv("NO_COLOR") == nullptr;
  if (size.ws_col > 0) options.width = size.ws_col;
  if (size.ws_row > 0) options.height = size.ws_row;
  return options;
}

}  // namespace coalescope::tool
