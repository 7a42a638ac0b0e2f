#pragma once
// The page's Content-Security-Policy: nothing may be loaded from anywhere, and only the style and the scripts
// that coalescope itself put in may act. They are named by their SHA-256, which the build computes, so that
// the page is the same each time it is made.

#include <span>
#include <string>
#include <string_view>

namespace coalescope::html {

// `style` and `scripts` are lines of a sha256sum: 64 hexadecimal digits come first.
std::string content_policy(std::string_view style, std::span<const std::string_view> scripts);

}  // namespace coalescope::html
