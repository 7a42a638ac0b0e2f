#include "reports/sarif/uri.h"

#include <gtest/gtest.h>

namespace coalescope::sarif {
namespace {

std::string uri(std::string_view path, std::string_view directory = "/home/user/app") {
  return place_of(path, directory).uri;
}

TEST(Uri, BelowTheWorkingDirectoryIsRelative) {
  EXPECT_EQ(uri("/home/user/app/src/a.cu"), "src/a.cu");
  EXPECT_EQ(uri("src/a.cu"), "src/a.cu");
  EXPECT_EQ(uri("./src/../a.cu"), "a.cu");
  EXPECT_TRUE(place_of("src/a.cu", "/home/user/app").relative);
}

TEST(Uri, ElsewhereIsAbsolute) {
  EXPECT_EQ(uri("/usr/include/a.cuh"), "file:///usr/include/a.cuh");
  EXPECT_EQ(uri("../other/a.cu"), "file:///home/user/other/a.cu");
  EXPECT_EQ(uri("/home/user/application/a.cu"), "file:///home/user/application/a.cu");
  EXPECT_FALSE(place_of("/usr/a.cu", "/home/user/app").relative);
}

TEST(Uri, WithoutAWorkingDirectoryNothingIsMadeUp) {
  EXPECT_EQ(uri("src/a.cu", ""), "src/a.cu");
  EXPECT_EQ(uri("/src/a.cu", ""), "file:///src/a.cu");
}

TEST(Uri, NoNameIsASchemeAHostOrMarkup) {
  EXPECT_EQ(uri("javascript:alert(1)"), "javascript%3Aalert(1)");
  EXPECT_EQ(uri("//evil.example/a.cu"), "file:///evil.example/a.cu");
  EXPECT_EQ(uri("a b%#?\"<>\n\xff.cu"), "a%20b%25%23%3F%22%3C%3E%0A%FF.cu");
  EXPECT_EQ(uri("caf\xc3\xa9.cu"), "caf%C3%A9.cu");
}

TEST(Uri, ABaseEndsWithASlash) {
  EXPECT_EQ(directory_uri("/home/user/my app"), "file:///home/user/my%20app/");
  EXPECT_EQ(directory_uri("/home/user/app/"), "file:///home/user/app/");
  EXPECT_EQ(directory_uri("/"), "file:///");
}

}  // namespace
}  // namespace coalescope::sarif
