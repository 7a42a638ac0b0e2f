// Which function runs which experiment.

#include <algorithm>
#include <array>

#include "kernels/curves/experiments.cuh"

namespace coalescope::kernels {
namespace {

struct Code {
  std::string_view id;
  Run run;
};
constexpr std::array kCode{Code{"ceilings", measure_ceilings},
                           Code{"sectors", measure_sectors},
                           Code{"launches", measure_launches},
                           Code{"shared_conflicts", measure_shared_conflicts},
                           Code{"constant_loads", measure_constant_loads},
                           Code{"atomics", measure_atomics},
                           Code{"footprint", measure_footprint},
                           Code{"hit_rate", measure_hit_rate},
                           Code{"residency", measure_residency},
                           Code{"residency_tuned", measure_residency_tuned},
                           Code{"after_use", measure_after_use},
                           Code{"concurrent_windows", measure_concurrent_l2_windows},
                           Code{"graph_window", measure_graph_l2_window},
                           Code{"copy_calls", measure_copy_calls},
                           Code{"copy_both_ways", measure_copy_both_ways},
                           Code{"small_copies", measure_small_copies},
                           Code{"idle_gpu", measure_idle_gpu},
                           Code{"staged", measure_staged},
                           Code{"round_trip", measure_round_trip},
                           Code{"touches", measure_touches},
                           Code{"managed", measure_managed},
                           Code{"pointer_kinds", measure_pointer_kinds},
                           Code{"peer_copies", measure_peer_copies}};

}  // namespace

Run experiment_code(std::string_view id) {
  const auto found = std::ranges::find(kCode, id, &Code::id);
  return found == kCode.end() ? nullptr : found->run;
}

}  // namespace coalescope::kernels
