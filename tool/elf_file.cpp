#include "tool/elf_file.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <fstream>

namespace coalescope::tool {

namespace {

// More would be no file that a linker has made.
constexpr std::size_t kMostNameBytes = 1U << 24U;

template <class T>
bool read_at(std::ifstream& file, std::uint64_t offset, T& value) {
  file.seekg(static_cast<std::streamoff>(offset));
  return static_cast<bool>(file.read(reinterpret_cast<char*>(&value), sizeof value));
}

bool read_loader(std::ifstream& file, const Elf64_Ehdr& header, ElfFile& elf) {
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    if (!read_at(file, header.e_phoff + i * sizeof segment, segment)) return false;
    elf.has_loader = elf.has_loader || segment.p_type == PT_INTERP;
  }
  return true;
}

// Of a stripped file, too: those that it has.
void read_sections(std::ifstream& file, const Elf64_Ehdr& header, ElfFile& elf) {
  Elf64_Shdr names{};
  if (header.e_shoff == 0 ||
      !read_at(file, header.e_shoff + std::uint64_t{header.e_shstrndx} * sizeof names, names) ||
      names.sh_size > kMostNameBytes)
    return;
  std::string text(names.sh_size, '\0');
  file.seekg(static_cast<std::streamoff>(names.sh_offset));
  if (!file.read(text.data(), static_cast<std::streamsize>(text.size()))) return;
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section{};
    if (!read_at(file, header.e_shoff + i * sizeof section, section)) return;
    if (section.sh_name < text.size()) elf.sections.emplace_back(text.c_str() + section.sh_name);
  }
}

}  // namespace

bool ElfFile::has(std::string_view section) const {
  return std::ranges::find(sections, section) != sections.end();
}

std::optional<ElfFile> read_elf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header{};
  if (!file.read(reinterpret_cast<char*>(&header.e_ident), sizeof header.e_ident) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return std::nullopt;
  ElfFile elf;
  elf.is_64_bit = header.e_ident[EI_CLASS] == ELFCLASS64;
  if (!elf.is_64_bit) return elf;
  if (!read_at(file, 0, header) || !read_loader(file, header, elf)) return std::nullopt;
  read_sections(file, header, elf);
  return elf;
}

}  // namespace coalescope::tool
