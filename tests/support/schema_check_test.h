#pragma once
// For tests: does a document follow a JSON schema? The few keywords that our schemas use, and
// nothing else: a keyword that is not known here is an error, so none can be written that checks nothing. No
// validator is packaged for C++ in Debian 12, and one more language in the tests would be one more thing to
// install.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace coalescope::json {

// Where and how `document` breaks `schema`; empty when it does not.
[[nodiscard]] std::vector<std::string> schema_errors(const nlohmann::json& schema,
                                                     const nlohmann::json& document);

}  // namespace coalescope::json
