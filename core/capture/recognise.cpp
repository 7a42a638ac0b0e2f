#include "core/capture/recognise.h"

#include <array>
#include <fstream>
#include <string_view>

#include "core/capture/schema.h"

namespace coalescope::capture {

bool is_capture(const std::string& path) {
  // https://www.sqlite.org/fileformat.html: the text, and a number with its highest byte first.
  constexpr std::string_view kDatabase("SQLite format 3\0", 16);
  constexpr std::size_t kIdPlace = 68;
  std::array<char, kIdPlace + 4> header{};
  if (!std::ifstream(path, std::ios::binary).read(header.data(), header.size())) return false;
  std::int64_t id = 0;
  for (std::size_t i = kIdPlace; i < header.size(); ++i)
    id = id * 256 + static_cast<unsigned char>(header[i]);
  return std::string_view(header.data(), kDatabase.size()) == kDatabase && id == kApplicationId;
}

}  // namespace coalescope::capture
