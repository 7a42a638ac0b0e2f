// The order of an input: which capture, which format, whether its file is damaged, the changes of its rows.

#include "tests/fuzz/run_input.h"

#include <array>
#include <filesystem>
#include <string>
#include <unistd.h>
#include <vector>

#include "reports/analysis/analyse.h"
#include "reports/analysis/view/view.h"
#include "reports/csv/csv.h"
#include "reports/html/page.h"
#include "reports/json/json.h"
#include "reports/markdown/markdown.h"
#include "reports/sarif/sarif.h"
#include "reports/text/text.h"
#include "tests/fuzz/changed_capture.h"
#include "tests/golden/capture_from_sql.h"

namespace coalescope::fuzz {
namespace {

namespace fs = std::filesystem;
using analysis::Report;

constexpr std::array kCaptures{"strided",     "program", "transfers", "reruns",
                               "calibration", "hostile", "killed"};

using Render = std::string (*)(const Report&);
constexpr std::array<Render, 10> kFormats{
    [](const Report& report) { return text::to_text(report, {}); },
    [](const Report& report) { return text::to_text(report, {.width = 72, .height = 24, .verbose = true}); },
    [](const Report& report) { return json::to_json(report, 2); },
    [](const Report& report) { return html::to_html(report); },
    [](const Report& report) { return csv::to_csv(report, csv::Table::findings); },
    [](const Report& report) { return csv::to_csv(report, csv::Table::kernels); },
    [](const Report& report) { return csv::to_csv(report, csv::Table::lines); },
    [](const Report& report) { return csv::to_csv(report, csv::Table::transfers); },
    [](const Report& report) { return markdown::to_markdown(report); },
    [](const Report& report) { return sarif::to_sarif(report, "0.0.0"); },
};

// In memory where there is such a folder; a process of its own has a file of its own.
std::string scratch(const std::string& name) {
  const fs::path folder = fs::exists("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path();
  return folder / ("coalescope-fuzz-" + std::to_string(::getpid()) + name);
}

struct RemoveAtEnd {
  std::string path;
  ~RemoveAtEnd() { fs::remove(path); }
};

std::vector<ChangedCapture> captures() {
  std::vector<ChangedCapture> list;
  for (const std::string name : kCaptures) {
    const RemoveAtEnd file{scratch("-base.coal")};
    fs::remove(file.path);
    golden::make_capture(fs::path(COALESCOPE_SOURCE_DIR) / "tests/golden/cases" / (name + ".sql"), file.path);
    list.emplace_back(file.path);
  }
  return list;
}

}  // namespace

void run_input(std::span<const std::uint8_t> bytes) {
  static std::vector<ChangedCapture> all = captures();
  static const RemoveAtEnd kFile{scratch(".coal")};
  Bytes input(bytes);
  auto& capture = all[input.below(all.size())];
  const Render render = kFormats.at(input.below(kFormats.size()));
  capture.write(input, kFile.path);
  auto report = analysis::analyse(kFile.path);
  if (report && analysis::apply_view(*report, {})) (void)render(*report);
}

}  // namespace coalescope::fuzz
