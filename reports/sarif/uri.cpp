#include "reports/sarif/uri.h"

#include <cctype>
#include <filesystem>
#include <fmt/format.h>

namespace coalescope::sarif {
namespace {

namespace fs = std::filesystem;

// What RFC 3986 lets stand in a path, less the colon, which would end a scheme in a relative one. All else
// goes byte by byte, so any name is harmless here.
std::string encoded(std::string_view path) {
  constexpr std::string_view kPlain = "/-._~!$&()*+,=@";
  std::string text;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool letter = byte < 0x80 && std::isalnum(byte) != 0;
    if (letter || kPlain.find(c) != std::string_view::npos)
      text += c;
    else
      text += fmt::format("%{:02X}", byte);
  }
  return text;
}

// One slash at the beginning: two would make the next part the name of a host.
std::string file_uri(const fs::path& path) {
  std::string text = path.string();
  text.erase(0, text.find_first_not_of('/'));
  return "file:///" + encoded(text);
}

bool leaves(const fs::path& relative) {
  return relative.empty() || *relative.begin() == "..";
}

}  // namespace

Place place_of(std::string_view path, std::string_view directory) {
  const fs::path base = fs::path(directory).lexically_normal();
  const fs::path normal = fs::path(path).lexically_normal();
  if (normal.is_relative()) {
    if (base.empty() || !leaves(normal)) return {encoded(normal.string()), true};
    return {file_uri((base / normal).lexically_normal()), false};
  }
  const fs::path relative = base.empty() ? fs::path() : normal.lexically_relative(base);
  if (!leaves(relative)) return {encoded(relative.string()), true};
  return {file_uri(normal), false};
}

std::string directory_uri(std::string_view directory) {
  std::string uri = file_uri(fs::path(directory).lexically_normal());
  return uri.ends_with('/') ? uri : uri + "/";
}

}  // namespace coalescope::sarif
