#pragma once
// What `coalescope doctor` and `coalescope metrics` ask of the driver and of CUPTI. Each question is asked in
// a process of its own (coalescope_probe), because these libraries may hang or crash.

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace coalescope::cupti {

// Lines of fields between tabs on stdout; what stands in a field has neither tabs nor newlines.
void answer(std::initializer_list<std::string_view> fields);
// "error <kind> <message> <remedy>".
void answer(const base::Error& error);

// "library <path>", "version <CUDA version>", "error ..." or for each GPU
// "gpu <ordinal> <name> <compute capability> <uuid> <PCI bus id>".
void probe_driver();
// "cupti <path> <release> <origin>", "host <path>", or "error ...".
void probe_cupti(const std::vector<std::string>& site_packages);
// "chip <name>", "support <what> <level>" for each thing that may forbid to measure, and "counters ok" once a
// window over hardware counters was opened and closed on the GPU, or "error ...".
void probe_counters(std::int32_t ordinal, const std::vector<std::string>& site_packages);
// "cupti ..." as above, and "chip <name>" of all that it knows; or of one chip "metric <key> <CUPTI's name>"
// for each that it has, "untold <key> <name>" where only a machine with a driver tells, and "passes <phase>
// <count> <why none>", among them of all phases together and of a replay.
void probe_metrics(const std::string& chip);
// "python <oldest> <newest>": whose stacks are read.
void probe_pythons();

}  // namespace coalescope::cupti
