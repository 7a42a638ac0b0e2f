#include "core/source/library_header.h"

namespace coalescope::source {

bool is_library_header(std::string_view file) {
  const auto has = [&](std::string_view part) { return file.find(part) != std::string_view::npos; };
  return (has("cuda") && has("/include/")) || has("/triton/language/");
}

}  // namespace coalescope::source
