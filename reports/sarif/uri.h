#pragma once
// Places as SARIF wants them: URIs, relative to the folder in which the program was started where they lie
// below it, so that they mean the same in every checkout.

#include <string>
#include <string_view>

namespace coalescope::sarif {

struct Place {
  std::string uri;
  bool relative = false;  // to the working directory
};

// `path` as the capture has it; `directory` is the capture's working directory and may be empty.
[[nodiscard]] Place place_of(std::string_view path, std::string_view directory);

// "file:///home/user/app/", with the slash that a base must end with.
[[nodiscard]] std::string directory_uri(std::string_view directory);

}  // namespace coalescope::sarif
