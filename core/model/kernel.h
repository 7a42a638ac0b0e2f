#pragma once
// Code and the shapes in which it ran: modules, kernels, kernel groups.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/ids.h"

namespace coalescope::model {

// A loaded cubin. `code` is kept only while an instruction of it still waits for its source line.
struct Module {
  ModuleId id;
  ProcessId process_id;
  std::int64_t crc = 0;  // CUPTI's: the key that instruction readings carry
  std::int64_t size_bytes = 0;
  std::optional<std::vector<std::byte>> code;
};

// A function, by its mangled name. What only a timed launch tells is NULL until one was seen.
struct Kernel {
  KernelId id;
  ProcessId process_id;
  std::string name;
  std::optional<std::int64_t> registers_per_thread;
  std::optional<std::int64_t> static_shared_bytes;
  std::optional<std::int64_t> local_bytes_per_thread;
  std::optional<std::string> code_file;  // that holds the code
  std::optional<std::string>
      code_loader;  // of code that no file holds: the program or library that loaded it
};

// Launches that share kernel, device, grid, block and dynamic shared memory: the unit of sampling. Variants
// share them, too, and differ in what they do.
struct KernelGroup {
  GroupId id;
  ProcessId process_id;
  DeviceId device_id;
  KernelId kernel_id;
  std::int64_t grid_x = 1;
  std::int64_t grid_y = 1;
  std::int64_t grid_z = 1;
  std::int64_t block_x = 1;
  std::int64_t block_y = 1;
  std::int64_t block_z = 1;
  std::int64_t dynamic_shared_bytes = 0;
  std::optional<std::int64_t> variant;  // from 1; NULL: the only one
  std::optional<std::string>
      parameters;                  // how they differ from those of variant 1; NULL: of that, or not told
  std::optional<GroupId> same_as;  // sealing adds this group to that one, which does the same
};

}  // namespace coalescope::model
