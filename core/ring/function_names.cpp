#include "core/ring/function_names.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "core/base/scope_exit.h"

namespace coalescope::ring {
namespace {

constexpr std::size_t kSymbolsAtOnce = 16'384;

// A file, read as ELF. It is not mapped: one that is cut off while it is read would end us.
class Image {
 public:
  explicit Image(int file) : file_(file) {}

  template <class Struct>
  [[nodiscard]] bool read(std::uint64_t offset, Struct& value) const {
    return read_bytes(offset, &value, sizeof value) == sizeof value;
  }
  [[nodiscard]] std::size_t read_bytes(std::uint64_t offset, void* to, std::size_t bytes) const {
    const auto done = ::pread(file_, to, bytes, static_cast<off_t>(offset));
    return done < 0 ? 0 : static_cast<std::size_t>(done);
  }
  [[nodiscard]] std::string text(std::uint64_t offset) const {
    std::array<char, 2048> text{};
    const std::size_t bytes = read_bytes(offset, text.data(), text.size());
    return {text.data(), ::strnlen(text.data(), bytes)};
  }

 private:
  int file_;
};

bool holds(const Elf64_Sym& symbol, std::uint64_t address) {
  return ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && address >= symbol.st_value &&
         address - symbol.st_value < symbol.st_size;
}

std::optional<Elf64_Sym> find_symbol(const Image& image, const Elf64_Shdr& table, std::uint64_t address) {
  std::vector<Elf64_Sym> symbols(kSymbolsAtOnce);
  for (std::uint64_t at = 0; at < table.sh_size;) {
    const std::uint64_t wanted =
        std::min<std::uint64_t>(symbols.size() * sizeof(Elf64_Sym), table.sh_size - at);
    const std::size_t count =
        image.read_bytes(table.sh_offset + at, symbols.data(), static_cast<std::size_t>(wanted)) /
        sizeof(Elf64_Sym);
    if (count == 0) return std::nullopt;
    const auto last = symbols.begin() + static_cast<std::ptrdiff_t>(count);
    const auto found =
        std::find_if(symbols.begin(), last, [address](const auto& each) { return holds(each, address); });
    if (found != last) return *found;
    at += count * sizeof(Elf64_Sym);
  }
  return std::nullopt;
}

std::optional<std::string> find_in(const Image& image, const Elf64_Ehdr& header, std::uint64_t address) {
  for (unsigned section = 0; section < header.e_shnum; ++section) {
    Elf64_Shdr table{};
    if (!image.read(header.e_shoff + section * sizeof table, table)) return std::nullopt;
    if (table.sh_type != SHT_SYMTAB) continue;
    Elf64_Shdr strings{};
    if (!image.read(header.e_shoff + table.sh_link * sizeof strings, strings)) return std::nullopt;
    if (const auto symbol = find_symbol(image, table, address))
      return image.text(strings.sh_offset + symbol->st_name);
  }
  return std::nullopt;
}

// `offset` counts from where the first segment lies.
std::uint64_t address_of(const Image& image, const Elf64_Ehdr& header, std::uint64_t offset) {
  if (header.e_type != ET_EXEC) return offset;  // its addresses are not where it lies
  Elf64_Phdr segment{};
  for (unsigned i = 0; i < header.e_phnum; ++i)
    if (image.read(header.e_phoff + i * sizeof segment, segment) && segment.p_type == PT_LOAD) break;
  return offset + segment.p_vaddr - segment.p_offset;
}

}  // namespace

std::optional<std::string> find_function(const std::string& path, std::uint64_t offset) {
  // Without waiting: a pipe that nobody writes to would keep us for ever.
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return std::nullopt;
  const base::ScopeExit close_file([&] { ::close(file); });
  struct stat status {};
  if (::fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  const Image image(file);
  Elf64_Ehdr header{};
  if (!image.read(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof(Elf64_Shdr))
    return std::nullopt;
  return find_in(image, header, address_of(image, header, offset));
}

}  // namespace coalescope::ring
