#pragma once
// Which process of a parallel job this one is, as its launcher says it in the environment.

#include <cstdint>
#include <optional>

#include "injection/recorder/options.h"

namespace coalescope::recorder {

struct Rank {
  std::optional<std::int64_t> rank;        // in the whole job; nullopt: no launcher has given one
  std::optional<std::int64_t> local_rank;  // among those on this machine
};

[[nodiscard]] Rank find_rank(const ReadVariable& read);

}  // namespace coalescope::recorder
