#include "tool/version.h"

namespace coalescope::tool {

std::string_view version() {
  return COALESCOPE_VERSION;
}

}  // namespace coalescope::tool
