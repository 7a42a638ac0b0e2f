// Writes one page, for the tests that open it in a browser: make_page SAMPLE|CAPTURE FILE.
#include <array>
#include <fstream>
#include <iostream>
#include <string_view>

#include "reports/analysis/analyse.h"
#include "reports/html/page.h"
#include "tests/web/sample_reports.h"

namespace {

int write_page(const coalescope::analysis::Report& report, const char* name) {
  std::ofstream file(name, std::ios::binary);
  file << coalescope::html::to_html(report);
  return file.good() ? 0 : 1;
}

// An empty report of a capture that cannot be read: the tests would see it.
coalescope::analysis::Report analysed(const char* capture) {
  // With the text that the capture holds, and that of no file here.
  auto report = coalescope::analysis::analyse(capture, {.sources = {.shown = true}});
  return report ? std::move(*report) : coalescope::analysis::Report{};
}

}  // namespace

int main(int argc, char** argv) {
  namespace samples = coalescope::samples;
  struct Sample {
    std::string_view name;
    coalescope::analysis::Report (*make)();
  };
  constexpr std::array kSamples{
      Sample{"rich", samples::rich},       Sample{"calibration", samples::calibration},
      Sample{"empty", samples::empty},     Sample{"unmeasured", samples::unmeasured},
      Sample{"hostile", samples::hostile}, Sample{"large", samples::large},
      Sample{"many", samples::many},
  };
  if (argc == 3) {
    if (std::string_view(argv[1]).ends_with(".coal")) return write_page(analysed(argv[1]), argv[2]);
    for (const Sample& sample : kSamples) {
      if (sample.name != argv[1]) continue;
      return write_page(sample.make(), argv[2]);
    }
  }
  std::cerr << "usage: make_page rich|calibration|empty|unmeasured|hostile|large|many|CAPTURE.coal FILE\n";
  return 2;
}
