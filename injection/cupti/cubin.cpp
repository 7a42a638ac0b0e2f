#include "injection/cupti/cubin.h"

#include <cstdint>
#include <cstring>
#include <elf.h>
#include <optional>

namespace coalescope::cupti {
namespace {

template <class Header>
std::optional<Header> header_at(Cubin cubin, std::uint64_t offset) {
  if (offset > cubin.size() || cubin.size() - offset < sizeof(Header)) return std::nullopt;
  Header header;
  std::memcpy(&header, cubin.data() + offset, sizeof header);
  return header;
}

// The names of all sections, each with its end. They are a small part of the code, which has megabytes. Of
// what is no ELF file, all of it.
Cubin section_names(Cubin cubin) {
  const auto file = header_at<Elf64_Ehdr>(cubin, 0);
  if (!file || std::memcmp(file->e_ident, ELFMAG, SELFMAG) != 0) return cubin;
  const auto first = header_at<Elf64_Shdr>(cubin, file->e_shoff);
  if (!first) return cubin;
  // An index that does not fit stands in the first section.
  const std::uint64_t index = file->e_shstrndx == SHN_XINDEX ? first->sh_link : file->e_shstrndx;
  const auto names = header_at<Elf64_Shdr>(cubin, file->e_shoff + index * sizeof(Elf64_Shdr));
  if (!names || names->sh_offset > cubin.size() || cubin.size() - names->sh_offset < names->sh_size)
    return cubin;
  return cubin.subspan(names->sh_offset, names->sh_size);
}

bool has_section(Cubin cubin, const std::string& name) {
  const Cubin names = section_names(cubin);
  return ::memmem(names.data(), names.size(), name.c_str(), name.size() + 1) != nullptr;
}

}  // namespace

bool holds_function(Cubin cubin, const std::string& name) {
  return has_section(cubin, ".text." + name);
}

bool holds_lines(Cubin cubin) {
  return has_section(cubin, ".debug_line");
}

}  // namespace coalescope::cupti
