#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tuple>

#include "reports/analysis/rules/rule_cases_test.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

using testing::HasSubstr;

ArrayCopiesRow a_third(ArrayCopy what) {
  return {.what = what, .by_torch = true, .copies = 3'000, .gpu_ns = 90'000, .share = 1.0 / 3};
}

Finding found(const ArrayCopiesRow& row) {
  const Machine machine;
  const Judgement judgement = test::judgement_of(kArrayCopies, ArrayCopiesSubject{row, machine});
  EXPECT_EQ(judgement.findings.size(), 1U);
  return judgement.findings.empty() ? Finding{} : judgement.findings.front();
}

TEST(ArrayCopies, CostAllOfTheirTime) {
  const Finding finding = found(a_third(ArrayCopy::joined));
  EXPECT_EQ(finding.lost_ns, 90'000);
  EXPECT_THAT(finding.evidence, HasSubstr("3,000 copies of whole arrays take 33.3 %"));
}

TEST(ArrayCopies, AdviceFollowsWhatTheyDo) {
  for (const auto& [what, id, words] : {std::tuple{ArrayCopy::repeated, "F03.broadcast", "expand()"},
                                        {ArrayCopy::joined, "F03.write_in_place", "allocate room"},
                                        {ArrayCopy::converted, "F03.convert_less", "Convert"},
                                        {ArrayCopy::rearranged, "F03.take_view", "strides"},
                                        {ArrayCopy::plain, "F03.no_clone", "clone()"}}) {
    const Finding finding = found(a_third(what));
    EXPECT_EQ(finding.advice_id, id);
    EXPECT_THAT(finding.advice, HasSubstr(words));
  }
  ArrayCopiesRow by_author = a_third(ArrayCopy::plain);
  by_author.by_torch = false;
  EXPECT_EQ(found(by_author).advice_id, "F03.exchange");
}

TEST(ArrayCopies, APartOfTheTimeIsWhatGoodProgramsCopy) {
  const Machine machine;
  ArrayCopiesRow row = a_third(ArrayCopy::joined);
  row.share = 0.19;
  EXPECT_TRUE(test::finds_nothing(kArrayCopies, ArrayCopiesSubject{row, machine}));
  row = a_third(ArrayCopy::plain);
  row.copies = 1;
  EXPECT_TRUE(test::finds_nothing(kArrayCopies, ArrayCopiesSubject{row, machine})) << "while it begins";
}

TEST(ArrayCopies, OfArraysThatNothingElseReadsAreFoundWhateverTheirShare) {
  const Machine machine;
  ArrayCopiesRow row = a_third(ArrayCopy::plain);
  row.by_torch = false;
  row.share = 0.15;
  EXPECT_TRUE(test::finds_nothing(kUnreadOriginals, ArrayCopiesSubject{row, machine}));
  row.only_stored = true;
  EXPECT_TRUE(test::finds_nothing(kArrayCopies, ArrayCopiesSubject{row, machine})) << "one finding is enough";
  const Judgement judgement = test::judgement_of(kUnreadOriginals, ArrayCopiesSubject{row, machine});
  ASSERT_EQ(judgement.findings.size(), 1U);
  EXPECT_EQ(judgement.findings[0].lost_ns, 90'000);
  EXPECT_EQ(judgement.findings[0].advice_id, "F03.exchange");
  EXPECT_THAT(judgement.findings[0].evidence, HasSubstr("load none of them"));
}

}  // namespace
}  // namespace coalescope::analysis
