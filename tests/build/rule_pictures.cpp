// Prints the picture of a rule's page: `rule_pictures G01 >docs/images/rules/G01.svg`. Each shows requests of
// the kind that the page is about, by the addresses of their lanes; sectors, wavefronts and shares follow
// from these.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/units.h"
#include "reports/html/access_picture.h"

namespace {

using namespace coalescope;

using Address = std::optional<std::int64_t>;  // nullopt: the lane takes no part
using Addresses = std::vector<Address>;

constexpr std::int64_t kSector = 32, kWord = 4, kBanks = 32, kLanes = analysis::kLanesOfAWarp;
constexpr double kMargin = 12, kTextHeight = 24, kPanelHeight = kTextHeight + html::kPictureHeight + 14;

struct Panel {
  std::string code;
  std::string words;
  analysis::WarpPicture picture;
  std::string_view css = "sectors";
};

struct Picture {
  std::vector<Panel> panels;
  std::string_view legend;
};

constexpr std::string_view kSectorLegend =
    "Above: the 32 lanes of a warp. Below: the sectors of 32 bytes that move; filled: the bytes requested.";
constexpr std::string_view kBankLegend =
    "Above: the 32 lanes of a warp. Below: the 32 banks of shared memory, each 4 bytes wide.";

Addresses addresses_of(const std::function<Address(std::int64_t)>& of_lane) {
  Addresses addresses;
  for (std::int64_t lane = 0; lane < kLanes; ++lane) addresses.push_back(of_lane(lane));
  return addresses;
}

// Sectors stand in the order of their addresses, with gaps between them if they do not lie side by side.
analysis::WarpPicture in_sectors(const Addresses& addresses, std::int64_t element) {
  std::set<std::int64_t> touched;
  for (const Address& at : addresses)
    for (std::int64_t byte = 0; at && byte < element; ++byte) touched.insert((*at + byte) / kSector);
  analysis::WarpPicture picture;
  picture.element_bytes = static_cast<double>(element);
  picture.sectors = static_cast<int>(touched.size());
  picture.apart = *touched.rbegin() - *touched.begin() + 1 > static_cast<std::int64_t>(touched.size());
  for (const Address& at : addresses) {
    analysis::LaneBytes lane;
    if (at)
      lane = {true, static_cast<int>(std::distance(touched.begin(), touched.find(*at / kSector))),
              static_cast<double>(*at % kSector)};
    picture.lanes.push_back(lane);
  }
  return picture;
}

std::int64_t distinct_bytes(const Addresses& addresses, std::int64_t element) {
  std::set<std::int64_t> bytes;
  for (const Address& at : addresses)
    for (std::int64_t byte = 0; at && byte < element; ++byte) bytes.insert(*at + byte);
  return static_cast<std::int64_t>(bytes.size());
}

template <class Number>
std::string count(Number number, std::string_view what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

Panel of_sectors(std::string code, const Addresses& addresses, std::int64_t element = kWord) {
  Panel panel{std::move(code), "", in_sectors(addresses, element)};
  const auto degree = static_cast<double>(distinct_bytes(addresses, element)) /
                      static_cast<double>(kSector * panel.picture.sectors);
  panel.words = fmt::format("{}, degree of coalescing {}", count(panel.picture.sectors, "sector"),
                            base::format_share(degree));
  return panel;
}

// A bank stands where a sector stands; a lane takes all of it.
Panel of_banks(std::string code, const std::function<std::int64_t(std::int64_t)>& word_of_lane) {
  Panel panel{std::move(code), "", {}, "banks"};
  panel.picture.element_bytes = static_cast<double>(kSector);
  panel.picture.sectors = kBanks;
  std::map<std::int64_t, std::set<std::int64_t>> words_of_bank;
  for (std::int64_t lane = 0; lane < kLanes; ++lane) {
    const std::int64_t word = word_of_lane(lane);
    words_of_bank[word % kBanks].insert(word);
    panel.picture.lanes.push_back({true, static_cast<int>(word % kBanks), 0});
  }
  std::size_t words = 0, wavefronts = 0;
  for (const auto& [bank, wanted] : words_of_bank) {
    words += wanted.size();
    wavefronts = std::max(wavefronts, wanted.size());
  }
  panel.words = fmt::format("{} in {}: {}", count(words, "word"), count(words_of_bank.size(), "bank"),
                            count(wavefronts, "wavefront"));
  return panel;
}

Panel of_atomics(std::string code, const Addresses& addresses) {
  Panel panel{std::move(code), "", in_sectors(addresses, kWord)};
  std::map<std::int64_t, std::int64_t> lanes_of_word;
  for (const Address& at : addresses)
    if (at) ++lanes_of_word[*at];
  std::int64_t most = 0;
  for (const auto& [word, lanes] : lanes_of_word) most = std::max(most, lanes);
  panel.words =
      fmt::format("{}, {}", count(lanes_of_word.size(), "word"),
                  most == 1 ? "one update of each" : fmt::format("up to {} updates of a word in turn", most));
  return panel;
}

Addresses contiguous(std::int64_t element = kWord, std::int64_t first = 0) {
  return addresses_of([=](std::int64_t lane) { return first + element * lane; });
}

// Keys and indices of no order, the same each time: an odd factor visits each once.
std::int64_t scattered(std::int64_t lane) {
  return lane * 13 % kLanes;
}

Picture uncoalesced() {
  return {{of_sectors("in[i]", contiguous()), of_sectors("in[i + 1]", contiguous(kWord, kWord)),
           of_sectors("in[2 * i]", contiguous(2 * kWord)), of_sectors("in[8 * i]", contiguous(8 * kWord)),
           of_sectors("in[i * 1024], a column", contiguous(1024 * kWord))},
          kSectorLegend};
}

Picture broadcasts() {
  return {{of_sectors("a[0]", addresses_of([](auto) { return 0; })), of_sectors("x[i]", contiguous())},
          kSectorLegend};
}

Picture partial_warps() {
  const auto half = [](std::int64_t lane) { return lane < 16 ? Address(128 + kWord * lane) : std::nullopt; };
  const auto even = [](std::int64_t lane) { return lane % 2 == 0 ? Address(kWord * lane) : std::nullopt; };
  return {{of_sectors("in[i], second warp of a block of 48", addresses_of(half)),
           of_sectors("if (i % 2 == 0) ... in[i]", addresses_of(even)), of_sectors("in[i]", contiguous())},
          kSectorLegend};
}

Picture narrow_elements() {
  return {{of_sectors("unsigned char in[i]", contiguous(1), 1), of_sectors("float in[i]", contiguous()),
           of_sectors("uint4 in[i]", contiguous(16), 16)},
          kSectorLegend};
}

Picture gathers() {
  const auto far = [](std::int64_t lane) { return 4096 * scattered(lane) + kWord * (lane % 8); };
  const auto near = [](std::int64_t lane) { return kWord * (lane + lane / 3); };
  return {{of_sectors("index[i]", contiguous()), of_sectors("x[index[i]], any order", addresses_of(far)),
           of_sectors("x[index[i]], sorted", addresses_of(near))},
          kSectorLegend};
}

Picture conflicts() {
  return {
      {of_banks("tile[lane][k] of tile[32][32]", [](auto lane) { return 32 * lane; }),
       of_banks("tile[lane][k] of tile[32][33]", [](auto lane) { return 33 * lane; }),
       of_banks("x[2 * lane]", [](auto lane) { return 2 * lane; }), of_banks("x[0]", [](auto) { return 0; })},
      kBankLegend};
}

Picture atomics() {
  const auto first = [](std::int64_t lane) { return lane == 0 ? Address(0) : std::nullopt; };
  return {
      {of_atomics("atomicAdd(sum, x[i])", addresses_of([](auto) { return 0; })),
       of_atomics("atomicAdd(&bins[key], 1), 8 bins",
                  addresses_of([](auto lane) { return kWord * (scattered(lane) * 7 / 5 % 8); })),
       of_atomics("atomicAdd(&out[i], x[i])", contiguous()),
       of_atomics("__reduce_add_sync, then one lane", addresses_of(first))},
      "Above: the 32 lanes of a warp. Below: the sectors of 32 bytes; filled: the words that are updated."};
}

Picture zero_copy() {
  return {
      {of_sectors("records[i].x, 32 bytes each", contiguous(32)), of_sectors("x[i]", contiguous())},
      "Above: the 32 lanes of a warp. Below: the sectors that cross the bus; filled: the bytes requested."};
}

html::Html text(double x, double y, std::string css, const std::string& words) {
  return html::element("text",
                       {{"x", fmt::format("{}", x)}, {"y", fmt::format("{}", y)}, {"class", std::move(css)}},
                       html::Html::verbatim(words));
}

// The colours of the report's page; a ground of its own, since a viewer's may be light or dark.
constexpr std::string_view kStyle = R"(
text{font:13px system-ui,"Segoe UI","Liberation Sans",sans-serif;fill:#1d2126}
.code{font-family:ui-monospace,Menlo,"DejaVu Sans Mono",monospace}
.words{text-anchor:end}
.soft{fill:#59616b;font-size:12px}
.ground{fill:#fff}
.lane,.asked{fill:#0b6e74}
.lane-off{fill:none;stroke:#8a8f86;stroke-dasharray:2 2}
.sector{fill:#fdf1dc;stroke:#d99a2b}
.banks .sector{fill:none;stroke:#8a8f86}
.reach{fill:none;stroke:#8a8f86;stroke-width:.8}
@media(prefers-color-scheme:dark){
text{fill:#e7e8e4}
.soft{fill:#a3abb5}
.ground{fill:#1c2026}
.lane,.asked{fill:#5cc6c4}
.lane-off,.reach{stroke:#6b7480}
.sectors .sector{fill:#352a17;stroke:#c98f34}
}
)";

std::string svg_of(const Picture& picture) {
  const double width = html::kPictureWidth + 2 * kMargin;
  const double height = 2 * kMargin + kPanelHeight * static_cast<double>(picture.panels.size()) + 8;
  html::Html content = html::element("style", html::Html::trusted(std::string(kStyle)));
  content << html::element("rect", {{"class", "ground"}, {"width", "100%"}, {"height", "100%"}});
  double top = kMargin;
  for (const Panel& panel : picture.panels) {
    content << text(kMargin, top + 13, "code", panel.code)
            << text(width - kMargin, top + 13, "words", panel.words)
            << html::element("g",
                             {{"class", std::string(panel.css)},
                              {"transform", fmt::format("translate({} {})", kMargin, top + kTextHeight)}},
                             html::access_drawing(panel.picture));
    top += kPanelHeight;
  }
  content << text(kMargin, top + 12, "soft", std::string(picture.legend));
  return html::element("svg",
                       {{"xmlns", "http://www.w3.org/2000/svg"},
                        {"width", fmt::format("{}", width)},
                        {"height", fmt::format("{}", height)},
                        {"viewBox", fmt::format("0 0 {} {}", width, height)}},
                       content)
      .markup();
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string_view, std::function<Picture()>> pictures{
      {"G01", uncoalesced}, {"G02", broadcasts}, {"G03", partial_warps}, {"G04", narrow_elements},
      {"G05", gathers},     {"S01", conflicts},  {"A01", atomics},       {"Z01", zero_copy}};
  const auto picture = pictures.find(argc == 2 ? argv[1] : "");
  if (picture == pictures.end()) {
    std::fputs("usage: rule_pictures G01|G02|G03|G04|G05|S01|A01|Z01\n", stderr);
    return 2;
  }
  std::fputs((svg_of(picture->second()) + "\n").c_str(), stdout);
}
