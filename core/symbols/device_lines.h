#pragma once
// The source lines of GPU code, from the line table of its module (a cubin, an ELF file with DWARF's
// .debug_line). Inlined code has a line of its own, and those of the calls that it was inlined for: NVIDIA
// extends the table by them (DW_LNE_NVIDIA_inlined_call).

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace coalescope::symbols {

struct DeviceLine {
  std::string file;  // as the compiler wrote it; it may hold ".."
  std::int64_t line = 0;
  // Of a copying or moving constructor or assignment that was inlined. Where the compiler wrote it, the line
  // is that of the structure.
  bool copies_object = false;
  bool operator==(const DeviceLine&) const = default;
};

class DeviceLines {
 public:
  // Of a damaged file what could be read, which may be nothing.
  [[nodiscard]] static DeviceLines read(std::span<const std::byte> cubin);

  // Whether the table tells of a function, by its mangled name.
  [[nodiscard]] bool holds(const std::string& function) const { return functions_.contains(function); }
  // Of the instruction so many bytes into a function (its mangled name): the line itself, then that of the
  // call for which it was inlined, then that call's. Empty: the table does not tell.
  [[nodiscard]] std::vector<DeviceLine> at(const std::string& function, std::uint64_t offset) const;

 private:
  struct Row {
    std::uint64_t offset = 0;
    std::size_t file = 0;  // in `files_`
    std::int64_t line = 0;
    std::size_t caller = 0;  // in the sequence, from 1; 0: not inlined
    bool copies_object = false;
  };
  // Instructions that follow each other, by their offset. A function has one; of several the first counts.
  using Sequence = std::vector<Row>;
  class Reader;

  std::vector<std::string> files_;
  std::map<std::string, Sequence, std::less<>> functions_;
};

}  // namespace coalescope::symbols
