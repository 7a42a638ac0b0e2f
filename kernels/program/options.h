#pragma once
// The command line of coalescope_kernels, and the cases that it selects.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "kernels/answers/expected.h"
#include "kernels/curves/experiment.h"
#include "kernels/program/progress.h"
#include "kernels/twins/twins.h"

namespace coalescope::kernels {

struct TwinSide {
  const Twin* twin = nullptr;
  Side side = Side::fault;
};

struct Options {
  bool help = false;
  bool list = false;
  bool list_twins = false;
  bool probe = false;
  bool quiet = false;
  bool showcase = false;
  bool brief = false;
  bool with_curves = false;
  int launches = 16;
  std::vector<std::string> families;  // "A1", or "A" for all that begin with it
  std::vector<std::string> case_ids;
  std::string measure;  // where the rows of the experiments go, which then run in place of the cases
  std::optional<ProgressSpan> progress;
  std::string twin, side;
};

const char* usage();

[[nodiscard]] base::Result<Options> parse_options(std::span<const char* const> arguments);

// The side of a twin that is to run, where one was named.
[[nodiscard]] base::Result<std::optional<TwinSide>> select_twin(const Options& options);

// All cases, narrowed by each of the options that was given. Selecting nothing is an error, unless there are
// experiments of these families.
[[nodiscard]] base::Result<std::vector<const Case*>> select_cases(const Options& options,
                                                                  std::span<const Case> all);

}  // namespace coalescope::kernels
