#include "reports/json/writer.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>

namespace coalescope::json {
namespace {

std::string number(double value) {
  std::string text;
  Writer(text, -1).number(value);
  return text;
}

std::string text_of(std::string_view value) {
  std::string text;
  Writer(text, -1).text(value);
  return text;
}

TEST(Writer, NumbersComeBackAsTheyWere) {
  for (const double value : {0.0, 1.0, -2.5, 0.1, 1.0 / 3, 1e-4, 9.9e-5, 1e-300, 999999999999999.0, 1e15,
                             1e20, 1.7976931348623157e308, 5e-324}) {
    const auto back = nlohmann::json::parse(number(value));
    EXPECT_TRUE(back.is_number_float()) << number(value);
    EXPECT_EQ(back.get<double>(), value) << number(value);
  }
  EXPECT_EQ(number(5), "5.0");
  EXPECT_EQ(number(0.125), "0.125");
  EXPECT_EQ(number(-0.0), "-0.0");
  EXPECT_EQ(number(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(number(std::nan("")), "null");
}

TEST(Writer, TextIsEscaped) {
  EXPECT_EQ(text_of("plain"), "\"plain\"");
  for (const std::string value :
       {"", "a \"word\"", "back\\slash", "two\nlines", "\x01", "gr\xC3\xBC\xC3\x9F"})
    EXPECT_EQ(nlohmann::json::parse(text_of(value)).get<std::string>(), value);
  EXPECT_EQ(text_of("\xFF"), "\"\xEF\xBF\xBD\"") << "what is not UTF-8 becomes U+FFFD";
}

std::string sample(int indent) {
  std::string text;
  Writer to(text, indent);
  to.open('{');
  to.name("list");
  to.open('[');
  for (const int element : {1, -2}) {
    to.next();
    to.integer(element);
  }
  to.close(']');
  to.name("none");
  to.open('[');
  to.close(']');
  to.name("on");
  to.boolean(true);
  to.name("missing");
  to.null();
  to.close('}');
  return text;
}

TEST(Writer, BracketsAndMarginsAreAsReadersKnowThem) {
  const auto same = nlohmann::ordered_json::parse(sample(-1));
  EXPECT_EQ(sample(-1), same.dump());
  EXPECT_EQ(sample(2), same.dump(2));
}

}  // namespace
}  // namespace coalescope::json
