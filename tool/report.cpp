#include "tool/report.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fmt/format.h>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/base/log.h"
#include "core/capture/reader.h"
#include "core/profile/sources.h"
#include "reports/analysis/analyse.h"
#include "reports/html/page.h"
#include "reports/json/json.h"
#include "reports/text/text.h"
#include "tool/exit_status.h"

namespace coalescope::tool {

namespace {

using base::ErrorCode;
using base::failure;
using base::Result;

constexpr int kJsonIndent = 2;

[[nodiscard]] Result<void> write_all(std::FILE* stream, std::string_view text, const std::string& name) {
  if (std::fwrite(text.data(), 1, text.size(), stream) == text.size() && std::fflush(stream) == 0) return {};
  return failure(ErrorCode::usage, fmt::format("cannot write {}: {}", name, std::strerror(errno)));
}

// The page takes its name only when it is whole, and never the name of a capture.
[[nodiscard]] Result<void> write_page(const std::string& path, std::string_view page) {
  if (capture::Reader::open(path))
    return failure(ErrorCode::usage, fmt::format("cannot write the page to '{}': it is a capture", path),
                   "give the page another name");
  const std::string draft = fmt::format("{}.{}.tmp", path, ::getpid());
  std::FILE* file = std::fopen(draft.c_str(), "wxe");
  if (file == nullptr)
    return failure(ErrorCode::usage,
                   fmt::format("cannot write the page to '{}': {}", path, std::strerror(errno)),
                   "choose a file in a folder that exists and that you may write to");
  auto written = write_all(file, page, fmt::format("the page to '{}'", path));
  const bool closed = std::fclose(file) == 0;
  if (written && closed && std::rename(draft.c_str(), path.c_str()) == 0) return {};
  if (written)
    written = failure(ErrorCode::usage,
                      fmt::format("cannot write the page to '{}': {}", path, std::strerror(errno)));
  std::remove(draft.c_str());
  return written;
}

// A terminal is filled and coloured; a pipe or a file gets the same text at the default size.
text::TextOptions options_for(std::FILE* stream, bool verbose) {
  text::TextOptions options;
  options.verbose = verbose;
  winsize size{};
  if (::isatty(::fileno(stream)) == 0 || ::ioctl(::fileno(stream), TIOCGWINSZ, &size) != 0) return options;
  options.colour = std::getenv("NO_COLOR") == nullptr;
  if (size.ws_col > 0) options.width = size.ws_col;
  if (size.ws_row > 0) options.height = size.ws_row;
  return options;
}

Result<void> show(const ReportOptions& options, const analysis::Report& report) {
  if (options.html)
    return write_page(*options.html, html::to_html(report)).map([&] {
      base::log_note("wrote {}", *options.html);
    });
  if (options.json) return write_all(stdout, json::to_json(report, kJsonIndent) + "\n", "to stdout");
  return write_all(stdout, text::to_text(report, options_for(stdout, options.verbose)), "to stdout");
}

}  // namespace

int run(const ReportOptions& options) {
  const auto report = analysis::analyse(options.capture, {options.thresholds, profile::profile_folder()});
  if (!report) {
    base::log_error(report.error());
    return kUnreadable;
  }
  const auto shown = show(options, *report);
  if (!shown) base::log_error(shown.error());
  return shown ? kDone : kUsage;
}

void print_text(const std::string& capture, std::FILE* stream) {
  try {
    const auto analysed = analysis::analyse(capture, {{}, profile::profile_folder()});
    const auto written = analysed.and_then([&](const analysis::Report& report) {
      return write_all(stream, text::to_text(report, options_for(stream, false)), "the report");
    });
    if (!written) base::log_warning(written.error());
  } catch (const std::exception& exception) {  // how the target ended matters more than a fault of ours
    base::log_warning("no report: {}", exception.what());
  }
}

}  // namespace coalescope::tool
