#include "tool/metrics.h"

#include <gtest/gtest.h>

namespace coalescope::tool {
namespace {

Machine machine_with(ProbeLines chip) {
  Machine machine;
  machine.probe =
      [chip = std::move(chip)](const std::vector<std::string>& question) -> base::Result<ProbeLines> {
    if (question.size() == 1)
      return ProbeLines{
          {"cupti", "/x/libcupti.so.13", "CUDA 13.0", "of the system"}, {"chip", "GV100"}, {"chip", "TU102"}};
    return chip;
  };
  return machine;
}

const ProbeLines kTuring{{"metric", "global_load_bytes", "a_name.sum"},
                         {"untold", "instruction_async_copies", "b_name"},
                         {"passes", "traffic", "1", ""},
                         {"passes", "hits", "1", ""},
                         {"passes", "bytes", "1", ""},
                         {"passes", "together", "3", ""},
                         {"passes", "replay", "4", ""}};

bool contains(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

TEST(Metrics, ListsChipsFromTuringOn) {
  const auto text = chips_text(machine_with(kTuring));
  ASSERT_TRUE(text) << text.error().text();
  EXPECT_TRUE(contains(*text, "CUPTI of CUDA 13.0 (/x/libcupti.so.13)")) << *text;
  EXPECT_TRUE(contains(*text, "TU102")) << *text;
  EXPECT_FALSE(contains(*text, "GV100")) << *text;
  EXPECT_TRUE(
      contains(*text, "traffic 1, hits 1, bytes 1, in one configuration; one launch that is replayed 4"))
      << *text;
  EXPECT_TRUE(contains(*text, "missing: global_load_sectors")) << *text;
}

TEST(Metrics, NamesEachMetricOfAChip) {
  const auto text = chip_text(machine_with(kTuring), "TU102");
  ASSERT_TRUE(text) << text.error().text();
  EXPECT_TRUE(contains(*text, "  a_name.sum\n")) << *text;
  EXPECT_TRUE(contains(*text, "b_name (whether this chip has it, CUPTI tells only beside a driver)"))
      << *text;
  EXPECT_TRUE(contains(*text, "missing: asynchronous copies came with Ampere")) << *text;
  EXPECT_TRUE(contains(*text, "missing: CUPTI does not know it on this chip")) << *text;
}

TEST(Metrics, RefusesAChipThatIsNotKnown) {
  for (const char* chip : {"TU101", "GV100"}) {
    const auto text = chip_text(machine_with(kTuring), chip);
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().code, base::ErrorCode::usage);
  }
  const auto none = chips_text(machine_with({{"error", "not_found", "no CUPTI", "install it"}}));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().text(), "no CUPTI; install it");
}

}  // namespace
}  // namespace coalescope::tool
