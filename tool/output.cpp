#include "tool/output.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace coalescope::tool {

using base::ErrorCode;
using base::failure;
using base::Result;

Result<void> write_all(std::FILE* stream, std::string_view text, const std::string& name) {
  if (std::fwrite(text.data(), 1, text.size(), stream) == text.size() && std::fflush(stream) == 0) return {};
  return failure(ErrorCode::usage, fmt::format("cannot write {}: {}", name, std::strerror(errno)));
}

text::TextOptions text_options_for(std::FILE* stream) {
  text::TextOptions options;
  winsize size{};
  if (::isatty(::fileno(stream)) == 0 || ::ioctl(::fileno(stream), TIOCGWINSZ, &size) != 0) return options;
  const char* no_colour = std::getenv("NO_COLOR");  // see no-color.org: an empty one says nothing
  options.colour = no_colour == nullptr || *no_colour == '\0';
  if (size.ws_col > 0) options.width = size.ws_col;
  if (size.ws_row > 0) options.height = size.ws_row;
  return options;
}

}  // namespace coalescope::tool
