#include "core/symbols/section_names.h"

#include <gelf.h>
#include <memory>

namespace coalescope::symbols {

namespace {

// Calls `visit` with the name and header of each section until it returns false.
template <class Visit>
void visit_sections(std::span<const std::byte> file, Visit visit) {
  ::elf_version(EV_CURRENT);
  // libelf writes nothing to what it does not own.
  auto* bytes = const_cast<char*>(reinterpret_cast<const char*>(file.data()));
  const std::unique_ptr<Elf, decltype(&::elf_end)> elf(::elf_memory(bytes, file.size()), &::elf_end);
  std::size_t table = 0;
  if (!elf || ::elf_kind(elf.get()) != ELF_K_ELF || ::elf_getshdrstrndx(elf.get(), &table) != 0) return;
  for (Elf_Scn* section = nullptr; (section = ::elf_nextscn(elf.get(), section)) != nullptr;) {
    GElf_Shdr header{};
    if (::gelf_getshdr(section, &header) == nullptr) continue;
    const char* name = ::elf_strptr(elf.get(), table, header.sh_name);
    if (name != nullptr && !visit(name, header)) return;
  }
}

}  // namespace

std::set<std::string, std::less<>> section_names(std::span<const std::byte> file) {
  std::set<std::string, std::less<>> names;
  visit_sections(file, [&](const char* name, const GElf_Shdr&) {
    names.emplace(name);
    return true;
  });
  return names;
}

std::span<const std::byte> section_bytes(std::span<const std::byte> file, const std::string& name) {
  std::span<const std::byte> found;
  visit_sections(file, [&](const char* each, const GElf_Shdr& header) {
    if (name != each) return true;
    if (header.sh_type != SHT_NOBITS && header.sh_offset <= file.size() &&
        header.sh_size <= file.size() - header.sh_offset)
      found = file.subspan(header.sh_offset, header.sh_size);
    return false;
  });
  return found;
}

}  // namespace coalescope::symbols
