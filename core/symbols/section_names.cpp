#include "core/symbols/section_names.h"

#include <memory>

#include "core/symbols/elf_sections.h"

namespace coalescope::symbols {

namespace {

using OpenElf = std::unique_ptr<Elf, decltype(&::elf_end)>;

OpenElf open(std::span<const std::byte> file) {
  ::elf_version(EV_CURRENT);
  // libelf writes nothing to what it does not own.
  auto* bytes = const_cast<char*>(reinterpret_cast<const char*>(file.data()));
  return {::elf_memory(bytes, file.size()), &::elf_end};
}

}  // namespace

std::set<std::string, std::less<>> section_names(std::span<const std::byte> file) {
  std::set<std::string, std::less<>> names;
  visit_sections(open(file).get(), [&](const char* name, const GElf_Shdr&) {
    names.emplace(name);
    return true;
  });
  return names;
}

std::span<const std::byte> section_bytes(std::span<const std::byte> file, const std::string& name) {
  std::span<const std::byte> found;
  visit_sections(open(file).get(), [&](const char* each, const GElf_Shdr& header) {
    if (name != each) return true;
    if (header.sh_type != SHT_NOBITS && header.sh_offset <= file.size() &&
        header.sh_size <= file.size() - header.sh_offset)
      found = file.subspan(header.sh_offset, header.sh_size);
    return false;
  });
  return found;
}

}  // namespace coalescope::symbols
