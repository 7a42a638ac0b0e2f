#include "injection/cupti/line_tables.h"

#include <algorithm>
#include <filesystem>

#include "core/source/library_header.h"

namespace coalescope::cupti {

bool LineTables::tell(Cubin cubin, const std::string& function, model::Instruction& instruction) {
  const auto lines = of(cubin).at(function, static_cast<std::uint64_t>(instruction.pc_offset));
  if (lines.empty()) return false;
  const auto own = std::ranges::find_if_not(lines, [](const symbols::DeviceLine& line) {
    return line.copies_object || source::is_library_header(line.file);
  });
  const symbols::DeviceLine& line = own == lines.end() ? lines.front() : *own;
  instruction.source_state = model::SourceState::resolved;
  instruction.file = std::filesystem::path(line.file).lexically_normal().string();
  instruction.line = line.line;
  return true;
}

const symbols::DeviceLines& LineTables::of(Cubin cubin) {
  const auto found = read_.find(cubin.data());
  if (found != read_.end()) return found->second;
  return read_.emplace(cubin.data(), symbols::DeviceLines::read(cubin)).first->second;
}

}  // namespace coalescope::cupti
