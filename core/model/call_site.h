#pragma once
// Where in the program its calls into CUDA came from. A call site is a frame of a stack with what called it:
// the sites of a process form a tree, whose leaves are the calls. Sums are kept for each site, so that a long
// run needs no more room than a short one.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/model/activity.h"
#include "core/model/enums.h"
#include "core/model/ids.h"

namespace coalescope::model {

// A torch_module is no frame, but stands where PyTorch calls one of its modules.
enum class FrameKind : std::int64_t { native = 0, python = 1, inlined = 2, torch_module = 3 };
inline constexpr std::array kFrameKindNames{
    EnumName{FrameKind::native, "native"},
    EnumName{FrameKind::python, "python"},
    EnumName{FrameKind::inlined, "inlined"},
    EnumName{FrameKind::torch_module, "torch_module"},
};

struct CallSite {
  CallSiteId id;
  ProcessId process_id;
  std::string module;                   // path of the program or library that holds it; empty: not native
  std::int64_t module_offset = 0;       // in that file's image, of the instruction after the call; Python: in
                                        // the code object, of the instruction
  std::optional<std::string> symbol;    // the mangled function, where the file names it; Python: qualified;
                                        // of a torch_module its qualified name
  std::optional<std::string> callers;   // of files before schema 5
  std::optional<CallSiteId> caller_id;  // NULL: none is known
  FrameKind kind = FrameKind::native;
  std::optional<std::string> file;  // NULL: not known
  std::optional<std::int64_t> line;
  std::optional<std::string> build_id;  // of the module in memory; NULL: it has none, or Python
};

// What a call site has to do with the launches of a kernel.
enum class SiteRole : std::int64_t { launch = 0, graph_launch = 1, graph_node = 2 };
inline constexpr std::array kSiteRoleNames{
    EnumName{SiteRole::launch, "launch"},
    EnumName{SiteRole::graph_launch, "graph_launch"},
    EnumName{SiteRole::graph_node, "graph_node"},
};

// Launches of a group by one call site. Where looking at stacks would have cost the program more than 1 % of
// its time some launches were not looked at, and belong to no site.
struct LaunchSite {
  GroupId group_id;
  CallSiteId call_site_id;
  SiteRole role = SiteRole::launch;
  std::int64_t launches = 0;
  std::int64_t timed_launches = 0;
  std::int64_t gpu_ns = 0;  // of the timed ones together
};

// Transfers of one class by one call site.
struct TransferSite {
  ProcessId process_id;
  DeviceId device_id;
  Direction direction = Direction::unknown;
  MemoryKind source_memory = MemoryKind::unknown;
  MemoryKind destination_memory = MemoryKind::unknown;
  bool asynchronous = false;
  std::int64_t size_class = 0;
  CallSiteId call_site_id;
  std::int64_t transfers = 0;
  std::int64_t bytes = 0;
  std::int64_t gpu_ns = 0;
  // Copies to the device whose bytes were compared with those of earlier ones from here, and those of them
  // that moved the same bytes as one of these; nullopt: none was compared.
  std::optional<std::int64_t> compared, repeated;
};

// Calls of one kind that waited for the GPU, by one call site.
struct SynchronizationSite {
  ProcessId process_id;
  SynchronizationKind kind = SynchronizationKind::unknown;
  CallSiteId call_site_id;
  std::int64_t calls = 0;
  std::int64_t wait_ns = 0;
};

constexpr std::string_view name_of(FrameKind value) {
  return name_in(kFrameKindNames, value);
}
constexpr std::string_view name_of(SiteRole value) {
  return name_in(kSiteRoleNames, value);
}

// A function of CUDA's runtime, or one that nvcc makes to call it, by its mangled name.
[[nodiscard]] bool is_runtime_function(std::string_view symbol);
// Of the system: it calls main().
[[nodiscard]] bool is_startup_function(std::string_view symbol);
// The kernel in the name of nvcc's stub. Of _Z24__device_stub__Z4movePfiPfi "_Z4movePfiPfi": its mangled name
// with the stub's own parameters behind it. Of "lib::__wrapper__device_stub_kern" "lib::kern". Empty: it is
// no stub, or mangled in the second way.
[[nodiscard]] std::string kernel_of_stub(std::string_view stub);
// Whether `kernel` is the host's function of that name, which calls nvcc's `stub`. Both are mangled.
[[nodiscard]] bool is_launched_by_stub(std::string_view kernel, std::string_view stub);
// A library that lies between the program and its GPU, by its path.
[[nodiscard]] bool is_runtime_library(std::string_view path);

}  // namespace coalescope::model
