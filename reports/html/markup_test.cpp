#include "reports/html/markup.h"

#include <gmock/gmock.h>

namespace coalescope::html {
namespace {

TEST(Markup, TextIsEscapedWhereverItEnters) {
  EXPECT_EQ(element("b", "a<b").markup(), "<b>a&lt;b</b>");
  EXPECT_EQ(element("a", {{"title", "\"><script>"}}, "x").markup(),
            "<a title=\"&quot;&gt;&lt;script&gt;\">x</a>");
  EXPECT_EQ(exactly("61.6 us", "61,600 ns").markup(), "<span title=\"61,600 ns\">61.6 us</span>");
}

TEST(Markup, MarkupIsNotEscapedTwice) {
  EXPECT_EQ(element("p", element("b", "a&b")).markup(), "<p><b>a&amp;b</b></p>");
}

TEST(Markup, PartsAddUp) {
  Html line = "a";
  line << element("i", "b") << Html("<");
  EXPECT_EQ(line.markup(), "a<i>b</i>&lt;");
  EXPECT_TRUE(Html{}.empty());
}

TEST(Markup, SectionsAreNamedByTheirHeading) {
  EXPECT_EQ(
      section("kernels", "Kernels", "x").markup(),
      "<section id=\"kernels\" aria-labelledby=\"kernels-heading\"><h2 id=\"kernels-heading\">Kernels</h2>x"
      "</section>");
}

}  // namespace
}  // namespace coalescope::html
