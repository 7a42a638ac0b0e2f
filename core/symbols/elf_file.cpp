#include "core/symbols/elf_file.h"

#include <algorithm>
#include <fcntl.h>
#include <memory>
#include <unistd.h>

#include "core/base/scope_exit.h"
#include "core/symbols/elf_sections.h"

namespace coalescope::symbols {

namespace {

bool has_loader(Elf* elf) {
  std::size_t segments = 0;
  if (::elf_getphdrnum(elf, &segments) != 0) return false;
  for (std::size_t i = 0; i < segments; ++i) {
    GElf_Phdr segment{};
    if (::gelf_getphdr(elf, static_cast<int>(i), &segment) != nullptr && segment.p_type == PT_INTERP)
      return true;
  }
  return false;
}

}  // namespace

bool ElfFile::has(std::string_view section) const {
  return std::ranges::find(sections, section) != sections.end();
}

std::optional<ElfFile> read_elf(const std::string& path) {
  ::elf_version(EV_CURRENT);
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return std::nullopt;
  const base::ScopeExit close([file] { ::close(file); });
  const std::unique_ptr<Elf, decltype(&::elf_end)> elf(::elf_begin(file, ELF_C_READ, nullptr), &::elf_end);
  GElf_Ehdr header{};
  if (!elf || ::elf_kind(elf.get()) != ELF_K_ELF || ::gelf_getehdr(elf.get(), &header) == nullptr)
    return std::nullopt;
  ElfFile found{::gelf_getclass(elf.get()) == ELFCLASS64, has_loader(elf.get()), {}};
  // Of a stripped file, too: those that it has.
  visit_sections(elf.get(), [&](const char* name, const GElf_Shdr&) {
    found.sections.emplace_back(name);
    return true;
  });
  return found;
}

}  // namespace coalescope::symbols
