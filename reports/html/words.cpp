#include "reports/html/words.h"

#include <array>

#include "core/model/phases.h"

namespace coalescope::html {
namespace {

using model::EnumName;
using model::name_in;

constexpr std::array kDirections{
    EnumName{model::Direction::unknown, "direction unknown"},
    EnumName{model::Direction::host_to_device, "host to device"},
    EnumName{model::Direction::device_to_host, "device to host"},
    EnumName{model::Direction::host_to_array, "host to array"},
    EnumName{model::Direction::array_to_host, "array to host"},
    EnumName{model::Direction::array_to_array, "array to array"},
    EnumName{model::Direction::array_to_device, "array to device"},
    EnumName{model::Direction::device_to_array, "device to array"},
    EnumName{model::Direction::device_to_device, "device to device"},
    EnumName{model::Direction::host_to_host, "host to host"},
    EnumName{model::Direction::peer_to_peer, "device to another device"},
    EnumName{model::Direction::set, "memory set"},
};

constexpr std::array kMemories{
    EnumName{model::MemoryKind::unknown, "memory of unknown kind"},
    EnumName{model::MemoryKind::pageable, "pageable host memory"},
    EnumName{model::MemoryKind::pinned, "pinned host memory"},
    EnumName{model::MemoryKind::device, "device memory"},
    EnumName{model::MemoryKind::array, "CUDA array"},
    EnumName{model::MemoryKind::managed, "managed memory"},
    EnumName{model::MemoryKind::device_static, "static device memory"},
    EnumName{model::MemoryKind::managed_static, "static managed memory"},
};

constexpr std::array kSeverities{
    EnumName{model::Severity::info, "note"},
    EnumName{model::Severity::data_loss, "data loss"},
    EnumName{model::Severity::error, "error"},
};

constexpr std::array kVerdictMarks{
    EnumName{model::Verdict::pass, "✓"},
    EnumName{model::Verdict::fail, "✗"},
    EnumName{model::Verdict::skipped, "○"},
    EnumName{model::Verdict::measured, "•"},
};

constexpr std::array kLevelMarks{
    EnumName{analysis::Level::note, "○"},
    EnumName{analysis::Level::warning, "▲"},
    EnumName{analysis::Level::severe, "◆"},
};

constexpr std::array kSeverityMarks{
    EnumName{model::Severity::info, "○"},
    EnumName{model::Severity::data_loss, "▲"},
    EnumName{model::Severity::error, "◆"},
};

}  // namespace

std::string_view words(model::Direction direction) {
  return name_in(kDirections, direction);
}
std::string_view words(model::MemoryKind kind) {
  return name_in(kMemories, kind);
}
std::string_view words(model::Severity severity) {
  return name_in(kSeverities, severity);
}
std::string_view about(model::Phase phase) {
  for (const auto& way : model::kWaysOfMeasuring)
    if (way.phase == phase) return way.about;
  return "unknown";
}
std::string_view mark(model::Verdict verdict) {
  return name_in(kVerdictMarks, verdict);
}
std::string_view mark(analysis::Level level) {
  return name_in(kLevelMarks, level);
}
std::string_view mark(model::Severity severity) {
  return name_in(kSeverityMarks, severity);
}

}  // namespace coalescope::html
