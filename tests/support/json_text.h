#pragma once
// JSON as a person reads it: what fits stands on one line.

#include <nlohmann/json.hpp>
#include <string>

namespace coalescope {

[[nodiscard]] std::string json_text(const nlohmann::ordered_json& value, std::size_t indent = 0);

}  // namespace coalescope
