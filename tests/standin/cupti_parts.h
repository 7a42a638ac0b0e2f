#pragma once
// How the parts of the stand-in's libcupti.so.13 know of each other: one file a CUPTI interface, and the few
// questions that one asks of another.

#include <cstdint>
#include <cupti.h>
#include <string>
#include <vector>

#include "tests/standin/device.h"
#include "tests/standin/faults.h"

// The first line of every function. `function` is counted, and fails where the script says so.
#define STANDIN_CALL(function)      \
  standin::check_caller(#function); \
  if (const auto code = standin::fault(#function)) return static_cast<CUptiResult>(*code)

namespace standin {

// Ends the process if the call is one that hangs or crashes a real one.
void check_caller(const char* function);
// The vendor's own exit handler is registered when its library is first used: handlers run last registered
// first.
void use_begins();
[[nodiscard]] bool ended();

namespace callbacks {
[[nodiscard]] bool resource_domain_on();
[[nodiscard]] bool inside_resource_callback();
}  // namespace callbacks

namespace activity {
[[nodiscard]] bool kernels_on();  // CONCURRENT_KERNEL
[[nodiscard]] bool flushing();
// Whether a worker that delivers records and a launch may wait for each other for ever (seen on an H200).
[[nodiscard]] bool delivery_meets_launches();
void kernel_ran(const Run& run);
void copied(const Copy& copy);
[[nodiscard]] bool migrations_on();
void migrated(const Migration& migration);
void synchronized(CUctx_st* context);
void answered();
void deliver_late();
}  // namespace activity

namespace range {
[[nodiscard]] bool starting();
// A started range profiler of the context counts by hardware: the kernel's own wait shows in the trace.
[[nodiscard]] bool waits_after(CUctx_st* context);
void kernel_ran(const Run& run);
void graph_ran(const std::vector<Run>& nodes);
}  // namespace range

namespace sass {
[[nodiscard]] bool enabled(CUctx_st* context);
void kernel_ran(const Run& run);
void code_changed();
void check_at_exit();
}  // namespace sass

namespace host {
void check_alive(const char* function);
// The metrics that a configuration image names.
[[nodiscard]] std::vector<std::string> names_in(const std::uint8_t* image, std::size_t bytes);
// The range profiler's passes over these metrics: one for each phase that reads counters of the hardware, as
// they were added, then one for those that count by patching.
// `missing place_for_KEY` puts that counter into the other pass of hardware counters.
[[nodiscard]] std::vector<std::vector<std::string>> passes_of(const std::vector<std::string>& cupti_names);
}  // namespace host

}  // namespace standin
