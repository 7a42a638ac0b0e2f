// D: host and device.

#include <array>
#include <string>
#include <utility>

#include "core/base/units.h"
#include "kernels/answers/expected_parts.h"
#include "kernels/answers/geometry.h"

namespace coalescope::kernels {
namespace {

using model::Direction;
using model::MemoryKind;

// D1.
void add_copies(std::vector<Case>& all) {
  for (const Direction direction : {Direction::host_to_device, Direction::device_to_host})
    for (const MemoryKind memory : {MemoryKind::pageable, MemoryKind::pinned})
      for (const std::int64_t bytes : kCopyBytes) {
        const bool to_device = direction == Direction::host_to_device;
        Case copy;
        copy.family = "D1";
        copy.id = std::string("copy_") + std::string(name_of(direction)) + "_" +
                  std::string(name_of(memory)) + "/" + std::to_string(bytes);
        copy.title = std::string(name_of(memory)) + (to_device ? " host to device, " : " device to host, ") +
                     base::format_bytes(static_cast<double>(bytes));
        copy.abscissa = static_cast<double>(bytes);
        copy.useful_bytes = bytes;
        copy.copy = HostCopy{direction, memory, bytes};
        all.push_back(std::move(copy));
      }
}

// D6. On the GPU's side host memory is addressed like any other; each zero-copy kernel has a twin that finds
// (or leaves) the same data in device memory, with one pinned copy of the whole array beside it.
void add_zero_copy(std::vector<Case>& all) {
  constexpr std::int64_t kStridedThreads = strided_threads(kZeroCopyStride);
  struct Row {
    std::string function, title;
    std::int64_t host_bytes;
    Direction direction;
    Work work;
  };
  const std::array rows{
      Row{"read", "read once, coalesced", kArrayBytes, Direction::host_to_device,
          Work{kArrayWords, kSequential, kSequential}},
      Row{"read_twice", "read twice, half the array apart", kArrayBytes, Direction::host_to_device,
          Work{kArrayWords, {2, 128, 4}, kSequential}},
      Row{"strided_read", "read with a stride of 8 words", kStridedThreads * kWordBytes,
          Direction::host_to_device, Work{kStridedThreads, {1, 128, 32}, kSequential}},
      Row{"write", "written, coalesced", kArrayBytes, Direction::device_to_host,
          Work{kArrayWords, kSequential, kSequential}},
  };
  for (const Row& row : rows) {
    all.push_back(
        single("D6", "zero_copy_" + row.function, "host memory " + row.title, row.host_bytes, row.work));
    Case staged =
        single("D6", "staged_" + row.function, "the same by copy and kernel", row.host_bytes, row.work);
    staged.copy = HostCopy{row.direction, MemoryKind::pinned, kArrayBytes};
    all.push_back(std::move(staged));
  }
}

}  // namespace

void add_host_cases(std::vector<Case>& all) {
  add_copies(all);
  add_zero_copy(all);
}

}  // namespace coalescope::kernels
