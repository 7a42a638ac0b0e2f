#include "reports/html/escape.h"

#include <algorithm>
#include <functional>
#include <gmock/gmock.h>
#include <random>
#include <string>
#include <vector>

namespace coalescope::html {
namespace {

// Bytes that are likely to be trouble: markup, quotes, controls, parts of long UTF-8 sequences, marks that
// turn the direction of writing.
std::string random_text(std::mt19937& random) {
  static const std::vector<std::string> kParts{"<",
                                               ">",
                                               "&",
                                               "\"",
                                               "'",
                                               "</script>",
                                               "<!--",
                                               "]]>",
                                               "&lt;",
                                               "\\",
                                               "{{style}}",
                                               "a",
                                               "Z",
                                               " ",
                                               "\n",
                                               "\t",
                                               std::string(1, '\0'),
                                               "\x01",
                                               "\x1b",
                                               "\x7f",
                                               "\x80",
                                               "\xff",
                                               "\xc0\xaf",
                                               "\xed\xa0\x80",
                                               "\xf4\x90\x80\x80",
                                               "\xef\xbf\xbf",
                                               "\xc2\x85",
                                               "\xe2\x80\xae",
                                               "\xe2\x81\xa6",
                                               "\xe2\x80\xa8",
                                               "é",
                                               "木",
                                               "😀",
                                               "\xf0\x9f"};
  std::string text;
  for (auto parts = random() % 24; parts > 0; --parts) text += kParts[random() % kParts.size()];
  return text;
}

// What a parser makes of escaped text: the five references that we write, and nothing else may begin with
// '&'.
std::string parsed(std::string_view escaped) {
  static const std::vector<std::pair<std::string, std::string>> kReferences{
      {"&lt;", "<"},  {"&gt;", ">"},   {"&amp;", "&"}, {"&quot;", "\""},
      {"&#39;", "'"}, {"&#10;", "\n"}, {"&#9;", "\t"}};
  std::string text;
  while (!escaped.empty()) {
    std::size_t taken = 1;
    std::string meant(escaped.substr(0, 1));
    for (const auto& [reference, character] : kReferences) {
      if (!escaped.starts_with(reference)) continue;
      taken = reference.size();
      meant = character;
    }
    if (taken == 1 && escaped[0] == '&') ADD_FAILURE() << "a bare & in: " << escaped;
    text += meant;
    escaped.remove_prefix(taken);
  }
  return text;
}

bool has_control(std::string_view text) {
  return std::ranges::any_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7F;
  });
}

class EscapeProperties : public testing::Test {
 protected:
  // The seed is fixed: a failure is the same failure tomorrow.
  void for_each_text(const std::function<void(const std::string&)>& check) {
    std::mt19937 random(20251120);
    for (int round = 0; round < 5000; ++round) check(random_text(random));
  }
};

TEST_F(EscapeProperties, TextCanOpenNothingAndReadsAsItself) {
  for_each_text([](const std::string& text) {
    const std::string escaped = escape_text(text);
    EXPECT_EQ(escaped.find_first_of("<>"), escaped.npos);
    EXPECT_EQ(parsed(escaped), visible(text));
  });
}

TEST_F(EscapeProperties, AttributeCannotLeaveItsQuotesAndReadsAsItself) {
  for_each_text([](const std::string& text) {
    const std::string escaped = escape_attribute(text);
    EXPECT_EQ(escaped.find_first_of("<>\"'\n\t"), escaped.npos);
    EXPECT_EQ(parsed(escaped), visible(text));
  });
}

TEST_F(EscapeProperties, JsonCannotCloseItsScript) {
  for_each_text([](const std::string& text) {
    const std::string escaped = escape_json(text);
    EXPECT_EQ(escaped.find_first_of("<>&"), escaped.npos);
  });
}

TEST_F(EscapeProperties, WhatIsVisibleStaysAsItIs) {
  for_each_text([](const std::string& text) {
    const std::string once = visible(text);
    EXPECT_EQ(visible(once), once);
    EXPECT_FALSE(has_control(once));
  });
}

TEST(Escape, OrdinaryNamesAreUntouched) {
  for (const char* name : {"transpose_naive", "größe_木_😀", "a b\n\tc"}) EXPECT_EQ(escape_text(name), name);
}

TEST(Escape, TemplateArgumentsAreShownNotParsed) {
  EXPECT_EQ(escape_text("copy<float&>"), "copy&lt;float&amp;&gt;");
  EXPECT_EQ(escape_attribute("say \"it's\""), "say &quot;it&#39;s&quot;");
  EXPECT_EQ(escape_json(R"({"n":"</script>"})"), R"({"n":"\u003c/script\u003e"})");
}

TEST(Escape, OptionsDoNotBreak) {
  EXPECT_EQ(escape_words("record --rerun -k 'a<b'"),
            "record <span class=\"option\">--rerun</span> <span class=\"option\">-k</span> 'a&lt;b'");
  EXPECT_EQ(escape_words("(--launch-budget=0)"), "(<span class=\"option\">--launch-budget</span>=0)");
  for (const char* none : {"x-y", "a--b", "p-&gt;q", "-1", "a - b", "---", "--", "", "-- ./a"})
    EXPECT_EQ(escape_words(none), escape_text(none));
}

TEST(Escape, LongNamesBreakBetweenTheirParts) {
  EXPECT_EQ(escape_words("at::native::copy_kernel<float,2>"),
            "at::native::<wbr>copy_kernel&lt;<wbr>float,<wbr>2&gt;");
  EXPECT_EQ(escape_words("of /opt/python/site-packages (GammaBetaBackwardCUDAKernelTemplate)"),
            "of /opt/python/<wbr>site-packages "
            "(Gamma<wbr>Beta<wbr>Backward<wbr>CUDA<wbr>Kernel<wbr>Template)");
  EXPECT_EQ(escape_words("wgmma_f16_64x64x64_4x1x1 --section=kernels_of_libraries"),
            "wgmma_<wbr>f16_64x64x64_<wbr>4x1x1 "
            "<span class=\"option\">--section</span>=kernels_<wbr>of_libraries");
  EXPECT_EQ(escape_words("vm-7378-1184579103.part.coal, lu_of_8192.cu"),
            "vm-7378-1184579103<wbr>.part<wbr>.coal, lu_of_8192.cu");
  EXPECT_EQ(escape_words("copy::{lambda()#1}::operator()() XlaModule:#hlo_op"),
            "copy::<wbr>{lambda()#1}::<wbr>operator()() XlaModule:#<wbr>hlo_op");
  for (const char* whole :
       {"copy_kernel", "DeviceSelect", "a::b c::d e::f g::h", "straightforwardness", "größe/木/😀"})
    EXPECT_EQ(escape_words(whole), whole) << "prose and short names";
}

// "\x2ae" would be one escape too long for the compiler, hence the split literals.
TEST(Escape, WhatCannotBeSeenIsNamed) {
  EXPECT_EQ(visible("a\x1b[31m"), "a␛[31m");
  EXPECT_EQ(visible(std::string("a\0b", 3)), "a␀b");
  EXPECT_EQ(visible("cod.\xe2\x80\xae"
                    "exe"),
            "cod.[U+202E]exe");
  EXPECT_EQ(visible("a\xe2\x80\xa8"
                    "b"),
            "a[U+2028]b");
}

TEST(Escape, BytesThatAreNoUtf8BecomeReplacementCharacters) {
  EXPECT_EQ(visible("\xff"), "\uFFFD");
  EXPECT_EQ(visible("\xc0\xaf"), "\uFFFD\uFFFD") << "an overlong slash";
  EXPECT_EQ(visible("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD") << "a surrogate";
  EXPECT_EQ(visible("ab\xe6\x9c"), "ab\uFFFD\uFFFD") << "cut off in the middle";
}

}  // namespace
}  // namespace coalescope::html
