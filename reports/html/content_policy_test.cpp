#include "reports/html/content_policy.h"

#include <array>
#include <gmock/gmock.h>

namespace coalescope::html {
namespace {

// SHA-256 of "abc", as sha256sum prints it and as a browser wants it.
constexpr std::string_view kSum =
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  abc.js\n";
constexpr std::string_view kSource = "'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='";

TEST(ContentPolicy, AllowsOnlyWhatItNames) {
  const std::array scripts{kSum, kSum};
  EXPECT_EQ(content_policy(kSum, scripts),
            "default-src 'none'; style-src " + std::string(kSource) + "; script-src " + std::string(kSource) +
                " " + std::string(kSource) + "; base-uri 'none'; form-action 'none'");
}

}  // namespace
}  // namespace coalescope::html
