#pragma once
// What a program file says of itself: enough to tell whether it can be recorded, and with which names.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace coalescope::symbols {

struct ElfFile {
  bool is_64_bit = false;
  bool has_loader = false;  // it is linked dynamically
  std::vector<std::string> sections;

  [[nodiscard]] bool has(std::string_view section) const;
};

// nullopt: it cannot be read, or is no ELF file that can be understood.
[[nodiscard]] std::optional<ElfFile> read_elf(const std::string& path);

}  // namespace coalescope::symbols
