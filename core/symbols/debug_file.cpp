#include "core/symbols/debug_file.h"

#include <algorithm>
#include <cstdlib>
#include <dwarf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace coalescope::symbols {
namespace {

// The loader maps whole pages, and counts from the first.
constexpr GElf_Addr kPage = 4096;

// To open a device can do things, and a pipe that nobody writes to would keep us.
int open_file(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return -1;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file >= 0 && ::fstat(file, &status) == 0 && S_ISREG(status.st_mode)) return file;
  if (file >= 0) ::close(file);
  return -1;
}

// The address that the image of a program or library begins at, by its own count.
std::optional<GElf_Addr> first_address(Elf* elf) {
  GElf_Ehdr header{};
  if (::gelf_getclass(elf) != ELFCLASS64 || ::gelf_getehdr(elf, &header) == nullptr) return std::nullopt;
  if (header.e_type != ET_EXEC && header.e_type != ET_DYN) return std::nullopt;
  std::size_t segments = 0;
  if (::elf_getphdrnum(elf, &segments) != 0) return std::nullopt;
  std::optional<GElf_Addr> first;
  for (std::size_t i = 0; i < segments; ++i) {
    GElf_Phdr segment{};
    if (::gelf_getphdr(elf, static_cast<int>(i), &segment) == nullptr) return std::nullopt;
    if (segment.p_type != PT_LOAD) continue;
    const GElf_Addr begin = segment.p_vaddr / kPage * kPage;
    first = std::min(begin, first.value_or(begin));
  }
  return first;
}

std::string build_id_of(Dwfl_Module* module) {
  const unsigned char* bits = nullptr;
  GElf_Addr place = 0;
  const int count = ::dwfl_module_build_id(module, &bits, &place);
  std::string text;
  for (int i = 0; i < count; ++i) text += fmt::format("{:02x}", bits[i]);
  return text;
}

// Nobody wants lines of where main() is called from, and to unpack the debug information of Debian's package
// for it takes an eighth of a second in every recording.
bool is_c_library(std::string_view path) {
  return path.substr(path.rfind('/') + 1).starts_with("libc.so.");
}

// Where packages with debug information put it. It has the symbol table, too.
std::optional<ModuleFile> kept_debug_file(const ModuleFile& module, const std::string& debug_root) {
  constexpr std::size_t kFolderLetters = 2;
  if (module.build_id.size() <= kFolderLetters) return std::nullopt;
  return ModuleFile{
      fmt::format("{}/.build-id/{}/{}.debug", debug_root, module.build_id.substr(0, kFolderLetters),
                  module.build_id.substr(kFolderLetters)),
      module.build_id};
}

}  // namespace

DebugFile::DebugFile(const ModuleFile& module, const std::string& debug_root)
    : search_path_(":.debug:" + debug_root), is_c_library_(is_c_library(module.path)) {
  search_path_text_ = search_path_.data();
  callbacks_.find_elf = ::dwfl_build_id_find_elf;
  callbacks_.find_debuginfo = ::dwfl_standard_find_debuginfo;
  callbacks_.debuginfo_path = &search_path_text_;
}

DebugFile::Opened DebugFile::report(const ModuleFile& module) {
  const int file = open_file(module.path);
  if (file < 0) return Opened::no;
  session_.reset(::dwfl_begin(&callbacks_));
  if (!session_) {
    ::close(file);
    return Opened::no;
  }
  ::dwfl_report_begin(session_.get());
  module_ = ::dwfl_report_elf(session_.get(), module.path.c_str(), module.path.c_str(), file, 0, true);
  if (module_ == nullptr) {
    ::close(file);  // taken over only where it was an ELF file
    return Opened::no;
  }
  if (::dwfl_report_end(session_.get(), nullptr, nullptr) != 0) return Opened::no;
  GElf_Addr bias = 0;
  Elf* elf = ::dwfl_module_getelf(module_, &bias);
  const auto first = elf == nullptr ? std::nullopt : first_address(elf);
  if (!first) return Opened::no;
  if (!module.build_id.empty() && build_id_of(module_) != module.build_id) return Opened::another;
  first_ = *first + bias;
  return Opened::yes;
}

std::unique_ptr<DebugFile> DebugFile::open(const ModuleFile& module, const std::string& debug_root,
                                           bool& replaced) {
  // libdwfl asks the servers that this names for debug files.
  ::unsetenv("DEBUGINFOD_URLS");
  std::unique_ptr<DebugFile> file(new DebugFile(module, debug_root));
  const Opened opened = file->report(module);
  if (opened == Opened::yes) return file;
  if (const auto kept = kept_debug_file(module, debug_root)) {
    file.reset(new DebugFile(module, debug_root));
    if (file->report(*kept) == Opened::yes) return file;
  }
  replaced = opened == Opened::another;
  return nullptr;
}

// By the units' own ranges: .debug_aranges, which libdw goes by, is missing from what clang compiled.
void DebugFile::find_units() {
  units_.emplace();
  if (is_c_library_) return;
  Dwarf* dwarf = ::dwfl_module_getdwarf(module_, &dwarf_bias_);
  if (dwarf == nullptr) return;
  Dwarf_CU* last = nullptr;
  Unit unit;
  Dwarf_Die split{};
  std::uint8_t type = 0;
  while (::dwarf_get_units(dwarf, last, &last, nullptr, &type, &unit.die, &split) == 0) {
    if (type != DW_UT_compile && type != DW_UT_skeleton && type != DW_UT_partial) continue;
    unit.scope = type == DW_UT_skeleton && split.addr != nullptr ? split : unit.die;
    Dwarf_Addr base = 0;
    for (std::ptrdiff_t at = 0; (at = ::dwarf_ranges(&unit.die, at, &base, &unit.begin, &unit.end)) > 0;)
      units_->push_back(unit);
  }
}

const std::vector<FunctionRange>& DebugFile::functions_of(const Unit& unit) {
  const auto found = functions_.find(unit.scope.addr);
  return found != functions_.end()
             ? found->second
             : functions_.emplace(unit.scope.addr, functions_in(unit.scope)).first->second;
}

// libdwfl's own look-up goes through all symbols of the library for each address: reports of JAX programs,
// with 350 addresses in one library, came 2 to 4 s late.
void DebugFile::find_symbols() {
  symbols_.emplace();
  const int count = ::dwfl_module_getsymtab(module_);
  for (int i = 0; i < count; ++i) {
    GElf_Sym entry{};
    GElf_Addr address = 0;
    const char* name = ::dwfl_module_getsym_info(module_, i, &entry, &address, nullptr, nullptr, nullptr);
    const auto type = GELF_ST_TYPE(entry.st_info);
    if (name == nullptr || *name == '\0' || entry.st_size == 0 || entry.st_shndx == SHN_UNDEF ||
        (type != STT_FUNC && type != STT_GNU_IFUNC))
      continue;
    const bool is_local = GELF_ST_BIND(entry.st_info) == STB_LOCAL;
    symbols_->push_back({address, address + entry.st_size, is_local, name});
  }
  // Of several names of one function the last is taken: one that others can use.
  std::ranges::stable_sort(*symbols_, {},
                           [](const Symbol& each) { return std::pair(each.begin, !each.is_local); });
  for (const Symbol& each : *symbols_) longest_ = std::max(longest_, each.end - each.begin);
}

std::optional<std::string> DebugFile::symbol_at(GElf_Addr address) {
  if (!symbols_) find_symbols();
  auto next = std::ranges::upper_bound(*symbols_, address, {}, &Symbol::begin);
  while (next != symbols_->begin() && address - (--next)->begin < longest_)
    if (address < next->end) return next->name;
  return std::nullopt;
}

Frames DebugFile::frames_at(std::uint64_t offset) {
  if (!units_) find_units();
  const GElf_Addr address = first_ + offset;
  Frames frames;
  const Dwarf_Addr place = address - dwarf_bias_;
  if (const Unit* unit = range_at(*units_, place))
    frames = frames_in(unit->die, unit->scope, range_at(functions_of(*unit), place), place);
  auto symbol = symbol_at(address);
  if (frames.empty() && symbol) frames.emplace_back();
  if (!frames.empty() && symbol) frames.back().symbol = std::move(symbol);
  return frames;
}

}  // namespace coalescope::symbols
