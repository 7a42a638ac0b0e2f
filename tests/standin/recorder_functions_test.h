#pragma once
// The functions that the recorder calls, any of which may fail.

#include <string>
#include <vector>

#include "injection/cupti/cupti_api.h"

namespace standin {

#define STANDIN_NAME(function) #function,
inline const std::vector<std::string> kCuptiFunctions{COALESCOPE_CUPTI_FUNCTIONS(STANDIN_NAME)
                                                          COALESCOPE_CUPTI_OPTIONAL_FUNCTIONS(STANDIN_NAME)};
#undef STANDIN_NAME
inline const std::vector<std::string> kDriverFunctions{
    "cuCtxGetCurrent",     "cuCtxPushCurrent_v2", "cuCtxPopCurrent_v2",
    "cuCtxSynchronize",    "cuDeviceGet",         "cuDeviceGetName",
    "cuDeviceGetUuid_v2",  "cuDeviceTotalMem_v2", "cuDeviceGetAttribute",
    "cuDeviceGetPCIBusId", "cuDriverGetVersion",  "cuGraphGetNodes",
    "cuGraphGetEdges",     "cuGraphNodeGetType",  "cuGraphKernelNodeGetParams",
    "cuGraphExecGetFlags", "cuGraphCreate",       "cuGraphInstantiateWithFlags",
    "cuFuncGetName",       "cuLaunchKernelEx",    "cuEventCreate",
    "cuEventRecord",       "cuStreamGetId",       "cuCtxRecordEvent",
    "cuEventQuery"};

}  // namespace standin
