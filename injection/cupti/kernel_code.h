#pragma once
// Which of a process's modules holds the code of a function. CUPTI names a module by a checksum of its code:
// modules that differ in the names of their functions alone have the same, as some of XLA's do.

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "injection/cupti/cubin.h"
#include "injection/cupti/cupti_api.h"
#include "injection/cupti/line_tables.h"
#include "injection/cupti/module_code.h"

namespace coalescope::cupti {

struct KernelPlace {
  std::int64_t module_crc = 0;
  std::string function;  // its mangled name
  auto operator<=>(const KernelPlace&) const = default;
};
using KernelCode = std::map<KernelPlace, Cubin>;

// The code of all that is wanted, if the names alone tell where it is, and what lines it has is known without
// CUPTI.
[[nodiscard]] std::optional<KernelCode> code_by_names(std::span<const Cubin> cubins, CubinSections& sections,
                                                      LineTables& tables,
                                                      const std::set<KernelPlace>& wanted);

// Of what is wanted all that there is. Checksums cost time: they are computed of modules that may hold it.
[[nodiscard]] KernelCode code_by_checksums(const CuptiApi& api, std::span<const Cubin> cubins,
                                           CubinSections& sections, std::set<KernelPlace> wanted);

}  // namespace coalescope::cupti
