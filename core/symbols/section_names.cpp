#include "core/symbols/section_names.h"

#include <gelf.h>
#include <memory>

namespace coalescope::symbols {

std::set<std::string, std::less<>> section_names(std::span<const std::byte> file) {
  std::set<std::string, std::less<>> names;
  ::elf_version(EV_CURRENT);
  // libelf writes nothing to what it does not own.
  auto* bytes = const_cast<char*>(reinterpret_cast<const char*>(file.data()));
  const std::unique_ptr<Elf, decltype(&::elf_end)> elf(::elf_memory(bytes, file.size()), &::elf_end);
  std::size_t table = 0;
  if (!elf || ::elf_kind(elf.get()) != ELF_K_ELF || ::elf_getshdrstrndx(elf.get(), &table) != 0) return names;
  for (Elf_Scn* section = nullptr; (section = ::elf_nextscn(elf.get(), section)) != nullptr;) {
    GElf_Shdr header{};
    if (::gelf_getshdr(section, &header) == nullptr) continue;
    if (const char* name = ::elf_strptr(elf.get(), table, header.sh_name)) names.emplace(name);
  }
  return names;
}

}  // namespace coalescope::symbols
