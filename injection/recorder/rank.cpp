#include "injection/recorder/rank.h"

#include <array>

#include "core/model/setting_values.h"

namespace coalescope::recorder {
namespace {

struct Launcher {
  std::string_view rank;
  std::string_view local_rank;  // empty: this launcher does not tell it
};

// The first that is there counts: whoever started the process last is asked first. A job script runs under
// Slurm, and mpirun or torchrun under the job script.
constexpr std::array kLaunchers{
    Launcher{"RANK", "LOCAL_RANK"},                                  // torchrun
    Launcher{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK"},  // Open MPI
    Launcher{"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_LOCAL_RANK"},    // MVAPICH
    Launcher{"PMI_RANK", "MPI_LOCALRANKID"},                         // MPICH, Intel MPI
    Launcher{"PMIX_RANK", ""},                                       // any launcher with PMIx
    Launcher{"PALS_RANKID", "PALS_LOCAL_RANKID"},                    // HPE
    Launcher{"FLUX_TASK_RANK", "FLUX_TASK_LOCAL_ID"},                // Flux
    Launcher{"SLURM_PROCID", "SLURM_LOCALID"},                       // Slurm
};

std::optional<std::int64_t> number(const ReadVariable& read, std::string_view name) {
  const auto text = name.empty() ? std::nullopt : read(name);
  return text ? model::read_number(*text, 0) : std::nullopt;
}

}  // namespace

Rank find_rank(const ReadVariable& read) {
  for (const Launcher& launcher : kLaunchers)
    if (const auto rank = number(read, launcher.rank)) return {rank, number(read, launcher.local_rank)};
  return {};
}

}  // namespace coalescope::recorder
