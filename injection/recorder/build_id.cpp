#include "injection/recorder/build_id.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <fmt/format.h>
#include <iterator>
#include <link.h>
#include <string_view>
#include <sys/uio.h>
#include <unistd.h>
#include <vector>

namespace coalescope::recorder {
namespace {

constexpr std::size_t kMostNoteBytes = 65'536;
constexpr std::size_t kMostIdBytes = 64;
constexpr std::string_view kOwner{"GNU\0", 4};

struct Search {
  std::uint64_t address = 0;
  std::optional<std::string> found;
};

bool holds(const dl_phdr_info& module, std::uint64_t address) {
  for (std::size_t i = 0; i < module.dlpi_phnum; ++i) {
    const auto& segment = module.dlpi_phdr[i];
    const std::uint64_t begin = module.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && address >= begin && address - begin < segment.p_memsz) return true;
  }
  return false;
}

// The system copies: where the file was cut short, to touch its pages would end the program.
std::vector<std::byte> copy_of(std::uint64_t address, std::size_t bytes) {
  std::vector<std::byte> copy(std::min(bytes, kMostNoteBytes));
  const iovec to{copy.data(), copy.size()};
  const iovec from{reinterpret_cast<void*>(address), copy.size()};  // NOLINT: an address it is
  const auto done = ::process_vm_readv(::getpid(), &to, 1, &from, 1, 0);
  copy.resize(done < 0 ? 0 : static_cast<std::size_t>(done));
  return copy;
}

// Under the loader's lock, so that nothing is unloaded meanwhile.
int look_at(dl_phdr_info* module, std::size_t, void* argument) {
  auto& search = *static_cast<Search*>(argument);
  if (!holds(*module, search.address)) return 0;
  for (std::size_t i = 0; i < module->dlpi_phnum && !search.found; ++i) {
    const auto& segment = module->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE || !holds(*module, module->dlpi_addr + segment.p_vaddr)) continue;
    search.found =
        build_id_in(copy_of(module->dlpi_addr + segment.p_vaddr, segment.p_memsz), segment.p_align);
  }
  return 1;
}

}  // namespace

std::optional<std::string> build_id_in(std::span<const std::byte> notes, std::size_t alignment) {
  const auto padded = [step = alignment == 8 ? 8U : 4U](std::size_t bytes) {
    return (bytes + step - 1) / step * step;
  };
  ElfW(Nhdr) head{};
  while (notes.size() >= sizeof head) {
    std::memcpy(&head, notes.data(), sizeof head);
    const std::size_t content = padded(sizeof head + head.n_namesz), end = padded(content + head.n_descsz);
    if (content + head.n_descsz > notes.size()) return std::nullopt;
    const std::string_view owner(reinterpret_cast<const char*>(notes.data()) + sizeof head, head.n_namesz);
    if (head.n_type == NT_GNU_BUILD_ID && owner == kOwner && head.n_descsz > 0 &&
        head.n_descsz <= kMostIdBytes) {
      std::string text;
      for (const std::byte each : notes.subspan(content, head.n_descsz))
        fmt::format_to(std::back_inserter(text), "{:02x}", static_cast<unsigned>(each));
      return text;
    }
    notes = notes.subspan(std::min(end, notes.size()));
  }
  return std::nullopt;
}

std::optional<std::string> build_id_at(std::uint64_t address) {
  Search search{address, std::nullopt};
  ::dl_iterate_phdr(&look_at, &search);
  return search.found;
}

}  // namespace coalescope::recorder
