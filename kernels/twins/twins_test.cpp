#include "kernels/twins/twins.h"

#include <algorithm>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace coalescope::kernels {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string source_of(const Twin& twin) {
  std::ifstream file(std::string(COALESCOPE_SOURCE_DIR "/kernels/twins/") + std::string(twin.file));
  return {std::istreambuf_iterator<char>(file), {}};
}

// A kernel's name without the arguments of its template.
std::string function_of(std::string_view kernel) {
  return std::string(kernel.substr(0, kernel.find('<')));
}

// The kernel that the line stands in: the last one that begins before it.
std::string kernel_around(const std::string& source, int line) {
  static const std::regex kGlobalFunction(R"(__global__ void (?:__\w+__\(\w+\) )?(\w+)\()");
  std::size_t end = 0;
  for (int passed = 0; passed < line; ++passed) end = source.find('\n', end) + 1;
  std::string last;
  for (std::sregex_iterator
           found(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(end), kGlobalFunction),
       none;
       found != none; ++found)
    last = (*found)[1];
  return last;
}

TEST(Twins, IdsAreUniqueWords) {
  std::set<std::string_view> ids;
  for (const Twin& twin : twins()) {
    EXPECT_TRUE(ids.insert(twin.id).second) << twin.id;
    EXPECT_TRUE(std::regex_match(std::string(twin.id), std::regex("[a-z0-9_]+"))) << twin.id;
  }
}

TEST(Twins, EveryRowIsComplete) {
  for (const Twin& twin : twins()) {
    SCOPED_TRACE(twin.id);
    EXPECT_TRUE(std::regex_match(std::string(twin.family), std::regex("[A-D][0-9]+")));
    EXPECT_TRUE(std::regex_match(std::string(twin.rule), std::regex("[A-Z][0-9]{2}")));
    EXPECT_FALSE(twin.subject.empty() || twin.repaired.empty() || twin.title.empty());
    EXPECT_THAT(source_of(twin), HasSubstr("\"" + std::string(twin.id) + "\""));
  }
}

TEST(Twins, EveryFamilyWithAFaultHasOne) {
  for (const char* family :
       {"A3", "A4", "A5", "A6", "A7", "A8", "A9", "A10", "A11", "A12", "B1", "B3", "B4", "B5", "B6",
        "B7", "C1", "C2", "C3", "C4", "C5", "D1", "D2",  "D3",  "D4",  "D5", "D6", "D7", "D8"})
    EXPECT_TRUE(std::ranges::any_of(twins(), [&](const Twin& twin) {
      return twin.family == family && twin.verdict == Verdict::fault;
    })) << family;
}

TEST(Twins, OrderInASegmentAndSharedWordsAreHarmless) {
  for (const Twin& twin : twins())
    if (twin.family == "A2" || twin.family == "B2") {
      EXPECT_EQ(twin.verdict, Verdict::harmless) << twin.id;
    }
}

TEST(Twins, FaultsOfALineAreMarkedInTheirKernel) {
  for (const Twin& twin : twins()) {
    SCOPED_TRACE(twin.id);
    const std::vector<int> lines = fault_lines(twin);
    EXPECT_EQ(lines, fault_lines(source_of(twin), twin.id));
    if (twin.verdict == Verdict::harmless || twin.named != Named::line) {
      EXPECT_THAT(lines, IsEmpty());
      continue;
    }
    EXPECT_FALSE(lines.empty());
    for (const int line : lines) EXPECT_EQ(kernel_around(source_of(twin), line), function_of(twin.subject));
  }
}

TEST(Twins, MarksNameKnownTwins) {
  static const std::regex kMark("// fault: (.*)");
  for (const Twin& twin : twins()) {
    const std::string source = source_of(twin);
    for (std::sregex_iterator found(source.begin(), source.end(), kMark), none; found != none; ++found) {
      std::istringstream ids((*found)[1]);
      for (std::string id; ids >> id;) EXPECT_TRUE(twin_named(id).has_value()) << id;
    }
  }
}

TEST(Twins, LinesCountFromOneAndMayBeShared) {
  constexpr std::string_view kSource = "a;  // fault: one two\nb;\nc;  // fault: two\nd;  // fault: twofold";
  EXPECT_THAT(fault_lines(kSource, "one"), ElementsAre(1));
  EXPECT_THAT(fault_lines(kSource, "two"), ElementsAre(1, 3));
  EXPECT_THAT(fault_lines(kSource, "three"), IsEmpty());
  EXPECT_THAT(fault_lines("", "one"), IsEmpty());
}

TEST(Twins, AreFoundByNameOrMissed) {
  EXPECT_EQ(twin_named("grid_strided").value()->family, "A5");
  EXPECT_THAT(twin_named("no_such_twin").error().text(), HasSubstr("--list-twins"));
  EXPECT_EQ(side_named("clean").value(), Side::clean);
  EXPECT_THAT(side_named("left").error().text(), HasSubstr("'left'"));
}

}  // namespace
}  // namespace coalescope::kernels
