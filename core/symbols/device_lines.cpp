#include "core/symbols/device_lines.h"

#include <algorithm>
#include <cstring>
#include <elfutils/libdw.h>
#include <memory>
#include <optional>
#include <regex>
#include <unordered_map>
#include <utility>

#include "core/symbols/elf_sections.h"

namespace coalescope::symbols {
namespace {

constexpr std::string_view kCodePrefix = ".text.";
constexpr unsigned kSequenceShift = 32;  // no function is that long
constexpr std::size_t kMostInlined = 64;

using OpenElf = std::unique_ptr<Elf, decltype(&::elf_end)>;
using OpenDwarf = std::unique_ptr<Dwarf, decltype(&::dwarf_end)>;

OpenElf open_elf(std::vector<char>& file) {
  ::elf_version(EV_CURRENT);
  return {::elf_memory(file.data(), file.size()), &::elf_end};
}

struct Section {
  Elf_Scn* handle = nullptr;
  GElf_Shdr header{};
};

std::optional<Section> section_of(Elf* elf, std::string_view name) {
  std::size_t table = 0;
  if (::elf_kind(elf) != ELF_K_ELF || ::elf_getshdrstrndx(elf, &table) != 0) return std::nullopt;
  Section section;
  while ((section.handle = ::elf_nextscn(elf, section.handle)) != nullptr) {
    if (::gelf_getshdr(section.handle, &section.header) == nullptr) continue;
    const char* each = ::elf_strptr(elf, table, section.header.sh_name);
    if (each != nullptr && name == each) return section;
  }
  return std::nullopt;
}

// ".text.NAME" of the section that a symbol lies in.
std::string function_of(Elf* elf, const GElf_Sym& symbol) {
  std::size_t table = 0;
  GElf_Shdr header{};
  Elf_Scn* const code = ::elf_getscn(elf, symbol.st_shndx);
  if (code == nullptr || ::elf_getshdrstrndx(elf, &table) != 0 || ::gelf_getshdr(code, &header) == nullptr)
    return {};
  const char* name = ::elf_strptr(elf, table, header.sh_name);
  if (name == nullptr || !std::string_view(name).starts_with(kCodePrefix)) return {};
  return name + kCodePrefix.size();
}

// A place in the table that holds the address where a function's sequence begins.
struct Start {
  std::uint64_t place = 0;  // in .debug_line
  std::uint64_t offset = 0;
  std::string function;
};

std::vector<Start> starts_of(Elf* elf, const Section& relocations) {
  std::vector<Start> starts;
  const bool has_addend = relocations.header.sh_type == SHT_RELA;
  Elf_Data* const data = ::elf_getdata(relocations.handle, nullptr);
  Elf_Scn* const symbols = ::elf_getscn(elf, relocations.header.sh_link);
  Elf_Data* const names = symbols == nullptr ? nullptr : ::elf_getdata(symbols, nullptr);
  if (data == nullptr || names == nullptr || relocations.header.sh_entsize == 0) return starts;
  const auto count = static_cast<int>(data->d_size / relocations.header.sh_entsize);
  for (int i = 0; i < count; ++i) {
    GElf_Rela with{};
    GElf_Rel without{};
    const bool read =
        has_addend ? ::gelf_getrela(data, i, &with) != nullptr : ::gelf_getrel(data, i, &without) != nullptr;
    GElf_Sym symbol{};
    const std::uint64_t info = has_addend ? with.r_info : without.r_info;
    if (!read || ::gelf_getsym(names, static_cast<int>(GELF_R_SYM(info)), &symbol) == nullptr) continue;
    starts.push_back({has_addend ? with.r_offset : without.r_offset,
                      static_cast<std::uint64_t>(with.r_addend), function_of(elf, symbol)});
  }
  // In the order of the table, so that libdw, which sorts by address, keeps it.
  std::ranges::sort(starts, {}, &Start::place);
  return starts;
}

// In a cubin each function begins at 0, and a relocation says whose 0 it is. Gives each sequence addresses of
// its own, from its number in `starts` on.
std::vector<Start> separate_sequences(std::vector<char>& file) {
  const auto elf = open_elf(file);
  const auto table = section_of(elf.get(), ".debug_line");
  auto relocations = section_of(elf.get(), ".rela.debug_line");
  if (!relocations) relocations = section_of(elf.get(), ".rel.debug_line");
  if (!table || !relocations) return {};
  auto starts = starts_of(elf.get(), *relocations);
  const GElf_Shdr& header = table->header;
  if (header.sh_offset > file.size() || header.sh_size > file.size() - header.sh_offset) return {};
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::uint64_t address = (i + 1) << kSequenceShift | (starts[i].offset & 0xFFFF'FFFFU);
    if (header.sh_size < sizeof(address) || starts[i].place > header.sh_size - sizeof(address)) continue;
    std::memcpy(file.data() + header.sh_offset + starts[i].place, &address, sizeof(address));
  }
  return starts;
}

// By the Itanium ABI's name of a function: constructors (C1, C2) and operator= (aS) that take a reference to
// their own class, which the name abbreviates (S_, S0_).
bool copies_object(const char* function) {
  static const std::regex kCopies("(C[12]E|aSE)(RK|O)S[0-9A-Z]*_$");
  return function != nullptr && std::regex_search(function, kCopies);
}

}  // namespace

class DeviceLines::Reader {
 public:
  Reader(DeviceLines& found, const std::vector<Start>& starts) : found_(found), starts_(starts) {}

  void read(Dwarf* dwarf) {
    Dwarf_Off at = 0, next = 0;
    Dwarf_CU* unit = nullptr;
    Dwarf_Files* files = nullptr;
    Dwarf_Lines* lines = nullptr;
    std::size_t file_count = 0, line_count = 0;
    while (::dwarf_next_lines(dwarf, at, &next, &unit, &files, &file_count, &lines, &line_count) == 0) {
      read_table(dwarf, lines, line_count);
      at = next;
    }
  }

 private:
  void read_table(Dwarf* dwarf, Dwarf_Lines* lines, std::size_t count) {
    // libdw looks callers up in the whole table. They are numbered within their sequence.
    std::unordered_map<const Dwarf_Line*, std::size_t> numbers;
    for (std::size_t i = 0; i < count; ++i) numbers.emplace(::dwarf_onesrcline(lines, i), i + 1);
    Sequence sequence;
    for (std::size_t i = 0; i < count; ++i) {
      Dwarf_Line* const line = ::dwarf_onesrcline(lines, i);
      Dwarf_Addr address = 0;
      int number = 0;
      bool ends = false;
      if (::dwarf_lineaddr(line, &address) != 0 || ::dwarf_lineno(line, &number) != 0 ||
          ::dwarf_lineendsequence(line, &ends) != 0)
        return;
      const Dwarf_Line* const caller = ::dwarf_linecontext(lines, line);
      sequence.push_back({address & 0xFFFF'FFFFU, file_of(line), number,
                          caller == nullptr ? 0 : numbers[caller],
                          caller != nullptr && copies_object(::dwarf_linefunctionname(dwarf, line))});
      if (!ends) continue;
      add(address >> kSequenceShift, sequence);
      sequence.clear();
    }
  }

  void add(std::size_t start, const Sequence& sequence) {
    if (start == 0 || start > starts_.size() || starts_[start - 1].function.empty()) return;
    found_.functions_.try_emplace(starts_[start - 1].function, sequence);
  }

  std::size_t file_of(Dwarf_Line* line) {
    const char* name = ::dwarf_linesrc(line, nullptr, nullptr);
    const auto [known, is_new] = files_.try_emplace(name == nullptr ? "" : name, found_.files_.size());
    if (is_new) found_.files_.push_back(known->first);
    return known->second;
  }

  DeviceLines& found_;
  const std::vector<Start>& starts_;
  std::unordered_map<std::string, std::size_t> files_;
};

DeviceLines DeviceLines::read(std::span<const std::byte> cubin) {
  DeviceLines found;
  const auto* const bytes = reinterpret_cast<const char*>(cubin.data());
  std::vector<char> file(bytes, bytes + cubin.size());
  const auto starts = separate_sequences(file);
  if (starts.empty()) return found;
  const auto elf = open_elf(file);
  const OpenDwarf dwarf(::dwarf_begin_elf(elf.get(), DWARF_C_READ, nullptr), &::dwarf_end);
  if (dwarf != nullptr) Reader(found, starts).read(dwarf.get());
  return found;
}

std::vector<DeviceLine> DeviceLines::at(const std::string& function, std::uint64_t offset) const {
  std::vector<DeviceLine> lines;
  const auto known = functions_.find(function);
  if (known == functions_.end()) return lines;
  const Sequence& rows = known->second;
  const auto after = std::ranges::upper_bound(rows, offset, {}, &Row::offset);
  if (after == rows.begin() || after == rows.end()) return lines;  // before the first row, or behind the last
  const Row* row = &*std::prev(after);
  while (row != nullptr && row->line > 0 && lines.size() < kMostInlined) {
    lines.push_back({files_[row->file], row->line, row->copies_object});
    row = row->caller == 0 || row->caller > rows.size() ? nullptr : &rows[row->caller - 1];
  }
  return lines;
}

}  // namespace coalescope::symbols
