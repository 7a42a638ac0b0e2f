#include "tool/bare.h"

#include "core/base/log.h"
#include "tool/apart.h"
#include "tool/exit_status.h"
#include "tool/nearest.h"
#include "tool/record.h"
#include "tool/report.h"

namespace coalescope::tool {

int run_bare(std::vector<std::string> command, std::span<const std::string> subcommands) {
  RecordOptions options;
  options.command = std::move(command);
  const auto outcome = record(options);
  if (!outcome) {
    const int status = not_started(without_recording(options, outcome.error()));
    const auto meant = status == kNotFound ? nearest(options.command.front(), subcommands) : std::nullopt;
    if (meant) base::log_note("did you mean 'coalescope {}'?", *meant);
    return status;
  }
  if (const auto& path = outcome->capture_path)
    if (const auto shown = run_apart([&] { return print_text(*path, stderr), std::string(); }); !shown)
      base::log_warning("the report was not finished: {}; 'coalescope report {}' shows it",
                        shown.error().text(), *path);
  end_like(outcome->ending);
}

}  // namespace coalescope::tool
