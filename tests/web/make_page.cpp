// Writes one sample page, for the tests that open it in a browser: make_page SAMPLE FILE.
#include <array>
#include <fstream>
#include <iostream>
#include <string_view>

#include "reports/html/page.h"
#include "tests/web/sample_reports.h"

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
  };
  if (argc == 3) {
    for (const Sample& sample : kSamples) {
      if (sample.name != argv[1]) continue;
      std::ofstream file(argv[2], std::ios::binary);
      file << coalescope::html::to_html(sample.make());
      return file.good() ? 0 : 1;
    }
  }
  std::cerr << "usage: make_page rich|calibration|empty|unmeasured|hostile|large FILE\n";
  return 2;
}
