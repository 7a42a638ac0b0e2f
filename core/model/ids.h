#pragma once
// The ids of the capture's tables. Each is the file's own; merging two files renumbers them.

#include "core/base/strong_id.h"

namespace coalescope::model {

using ProcessId = base::StrongId<struct ProcessTag>;
using DeviceId = base::StrongId<struct DeviceTag>;
using ModuleId = base::StrongId<struct ModuleTag>;
using KernelId = base::StrongId<struct KernelTag>;
using GroupId = base::StrongId<struct GroupTag>;
using LaunchId = base::StrongId<struct LaunchTag>;
using WindowId = base::StrongId<struct WindowTag>;
using AllocationId = base::StrongId<struct AllocationTag>;
using CallSiteId = base::StrongId<struct CallSiteTag>;
using RangeNameId = base::StrongId<struct RangeNameTag>;
using InstructionId = base::StrongId<struct InstructionTag>;
using SourceFileId = base::StrongId<struct SourceFileTag>;

}  // namespace coalescope::model
