#include "injection/cupti/cubin.h"

#include "core/symbols/section_names.h"

namespace coalescope::cupti {

const CubinSections::Names& CubinSections::of(Cubin cubin) {
  const auto found = read_.find(cubin.data());
  return found != read_.end() ? found->second
                              : read_.emplace(cubin.data(), symbols::section_names(cubin)).first->second;
}

bool CubinSections::holds_function(Cubin cubin, const std::string& name) {
  return of(cubin).contains(".text." + name);
}

Cubin CubinSections::function_code(Cubin cubin, const std::string& name) {
  return symbols::section_bytes(cubin, ".text." + name);
}

Cubin CubinSections::function_info(Cubin cubin, const std::string& name) {
  return symbols::section_bytes(cubin, ".nv.info." + name);
}

bool CubinSections::holds_lines(Cubin cubin) {
  return of(cubin).contains(".debug_line");
}

}  // namespace coalescope::cupti
