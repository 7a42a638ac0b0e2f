#include "kernels/answers/expected.h"

#include "kernels/answers/expected_parts.h"

namespace coalescope::kernels {
namespace {

std::vector<Case> all_cases() {
  std::vector<Case> all;
  add_global_cases(all);
  add_layout_cases(all);
  add_on_chip_cases(all);
  add_host_cases(all);
  add_machine_cases(all);
  return all;
}

}  // namespace

std::span<const Case> cases() {
  static const std::vector<Case> kAll = all_cases();
  return kAll;
}

}  // namespace coalescope::kernels
