#pragma once
// Launches the nodes of a graph one by one, in place of the graph.

#include "injection/cupti/cupti_api.h"
#include "injection/cupti/driver_api.h"
#include "injection/cupti/graph_api.h"
#include "injection/cupti/graph_work.h"
#include "injection/recorder/diagnostics.h"
#include "injection/recorder/recording.h"

namespace coalescope::cupti {

class GraphRunner {
 public:
  GraphRunner(const DriverApi& driver, const GraphApi& api, recorder::Recording& recording,
              recorder::Diagnostics& diagnostics)
      : driver_(driver), api_(api), recording_(recording), diagnostics_(diagnostics) {}

  // False: the first node could not be launched, and nothing was.
  [[nodiscard]] bool run(const GraphWork& work, CUstream stream, const recorder::ContextHandle& context);

 private:
  template <class Node>
  [[nodiscard]] CUresult run(const Node& node, CUstream stream, CUcontext context);
  [[nodiscard]] CUresult run_alone(const GraphKernel& kernel, CUstream stream);
  [[nodiscard]] CUresult run(const GraphKernel& kernel, CUstream stream);
  [[nodiscard]] CUresult run(const CUDA_MEMCPY3D& copy, CUstream stream);
  [[nodiscard]] CUresult run(const CUDA_MEMSET_NODE_PARAMS& set, CUstream stream);

  const DriverApi& driver_;
  const GraphApi& api_;
  recorder::Recording& recording_;
  recorder::Diagnostics& diagnostics_;
};

}  // namespace coalescope::cupti
