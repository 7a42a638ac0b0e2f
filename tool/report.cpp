// The order: understand what is to be shown, before any work; analyse; choose the rows; write.

#include "tool/report.h"

#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <iterator>
#include <new>

#include "core/base/log.h"
#include "core/base/memory_limit.h"
#include "core/profile/sources.h"
#include "reports/analysis/analyse.h"
#include "reports/analysis/view/view.h"
#include "reports/text/text.h"
#include "tool/exit_status.h"
#include "tool/output.h"
#include "tool/output_file.h"
#include "tool/report_formats.h"
#include "tool/rules.h"

namespace coalescope::tool {

namespace {

using base::Result;

[[nodiscard]] Result<analysis::ViewOptions> view_of(const ReportOptions& options) {
  analysis::ViewOptions view;
  if (options.sort) view.sort = analysis::sort_key(*options.sort);
  view.kernel = options.kernel;
  view.limit = options.limit;
  view.all = options.all;
  for (const auto& word : options.rules) {
    auto rule = rule_named(word);
    if (!rule) return base::relay(rule);
    view.rules.push_back(std::move(*rule));
  }
  return view;
}

std::string rendered(const ReportOptions& options, const analysis::Report& report) {
  if (options.format != nullptr) return options.format->render(report, options.format_word);
  text::TextOptions text = options.output ? text::TextOptions{} : text_options_for(stdout);
  text.verbose = options.verbose;
  text.section = options.section;
  if (options.colour != "auto") text.colour = options.colour == "always";
  if (options.by) text.by = analysis::sum_by(*options.by);
  return text::to_text(report, text);
}

analysis::AnalyseOptions analysis_of(const ReportOptions& options) {
  analysis::AnalyseOptions analysis{options.thresholds, profile::profile_folder(), {}, options.ownership};
  analysis.sources.shown = !options.no_source;
  analysis.sources.roots = {"."};
  std::ranges::copy(options.source_roots, std::back_inserter(analysis.sources.roots));
  return analysis;
}

int make_report(const ReportOptions& options) {
  const auto view = view_of(options);
  if (!view) {
    base::log_error(view.error());
    return kUsage;
  }
  const bool names_file = options.format != nullptr && options.format->takes == ReportFormat::Takes::file;
  const auto file = report_file(names_file ? options.format_word : options.output, options.force);
  if (!file) {
    base::log_error(file.error());
    return kUsage;
  }
  auto report = analysis::analyse(options.capture, analysis_of(options));
  if (!report) {
    base::log_error(report.error());
    return kUnreadable;
  }
  const auto shown =
      analysis::apply_view(*report, *view).and_then([&] { return put(*file, rendered(options, *report)); });
  if (!shown) base::log_error(shown.error());
  return shown ? kDone : kUsage;
}

}  // namespace

int run(const ReportOptions& options) {
  if (!base::limit_memory(options.memory_mib))
    base::log_warning("the memory of the report could not be limited");
  try {
    return make_report(options);
  } catch (const std::bad_alloc&) {
    base::log_error(base::Error{
        base::ErrorCode::damaged,
        fmt::format("a report on '{}' takes more than {} MiB of memory", options.capture, options.memory_mib),
        "if you trust the capture, give it more with --memory"});
    return kUnreadable;
  }
}

const std::vector<std::string>& sort_keys() {
  return analysis::sort_key_names();
}

const std::vector<std::string>& sum_names() {
  return analysis::sum_names();
}

const std::vector<std::string>& section_names() {
  return text::section_names();
}

const std::vector<std::string>& colour_choices() {
  static const std::vector<std::string> kChoices{"auto", "always", "never"};
  return kChoices;
}

void print_text(const std::string& capture, std::FILE* stream) {
  try {
    auto analysed = analysis::analyse(capture, analysis_of({}));
    const auto written = analysed.and_then([&](analysis::Report& report) {
      return analysis::apply_view(report, {}).and_then([&] {
        return write_all(stream, text::to_text(report, text_options_for(stream)), "the report");
      });
    });
    if (!written) base::log_warning(written.error());
  } catch (const std::exception& exception) {  // how the target ended matters more than a fault of ours
    base::log_warning("no report: {}", exception.what());
  }
}

}  // namespace coalescope::tool
