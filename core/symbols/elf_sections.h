#pragma once
// The sections of a file that libelf has opened.

#include <cstddef>
#include <gelf.h>

namespace coalescope::symbols {

// Calls `visit` with the name and header of each section until it returns false.
template <class Visit>
void visit_sections(Elf* elf, Visit visit) {
  std::size_t table = 0;
  if (::elf_kind(elf) != ELF_K_ELF || ::elf_getshdrstrndx(elf, &table) != 0) return;
  for (Elf_Scn* section = nullptr; (section = ::elf_nextscn(elf, section)) != nullptr;) {
    GElf_Shdr header{};
    if (::gelf_getshdr(section, &header) == nullptr) continue;
    const char* name = ::elf_strptr(elf, table, header.sh_name);
    if (name != nullptr && !visit(name, header)) return;
  }
}

}  // namespace coalescope::symbols
