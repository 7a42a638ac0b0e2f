#include "tool/output_name.h"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <fmt/format.h>
#include <unistd.h>

namespace coalescope::tool {

namespace {

using base::ErrorCode;
using base::failure;
using base::Result;

constexpr std::string_view kQuery = "%q{";

// The value of the mark that `rest` begins with, %q{NAME}; takes it off `rest`.
Result<std::string> take_query(std::string_view& rest, std::string_view pattern, const NameMarks& marks) {
  const std::size_t end = rest.find('}');
  if (end == std::string_view::npos)
    return failure(ErrorCode::usage, fmt::format("'{}' opens a %q{{ and does not close it", pattern),
                   "write %q{NAME}, with the name of an environment variable");
  const std::string name(rest.substr(kQuery.size(), end - kQuery.size()));
  const auto value = marks.variable(name);
  if (!value)
    return failure(
        ErrorCode::usage,
        fmt::format("'{}' asks for the environment variable '{}', which is not set", pattern, name),
        "set it, or use one that the job's launcher sets, such as RANK or SLURM_PROCID");
  rest.remove_prefix(end + 1);
  // A value names a file, and never a place.
  std::string plain = *value;
  std::replace(plain.begin(), plain.end(), '/', '_');
  return plain;
}

}  // namespace

NameMarks name_marks() {
  std::string host(HOST_NAME_MAX + 1, '\0');
  if (::gethostname(host.data(), host.size() - 1) != 0) host = "unknown";
  host.resize(host.find_first_of('\0') == std::string::npos ? host.size() : host.find_first_of('\0'));
  return {host, std::to_string(::getpid()), [](const std::string& name) -> std::optional<std::string> {
            const char* value = std::getenv(name.c_str());
            return value == nullptr ? std::nullopt : std::optional<std::string>(value);
          }};
}

Result<std::string> expand_name(std::string_view pattern, const NameMarks& marks) {
  std::string name;
  for (std::string_view rest = pattern; !rest.empty();) {
    if (rest.starts_with(kQuery)) {
      auto value = take_query(rest, pattern, marks);
      if (!value) return base::relay(value);
      name += *value;
      continue;
    }
    const std::string_view mark = rest.substr(0, 2);
    const bool known = mark == "%h" || mark == "%p" || mark == "%%";
    if (mark == "%h") name += marks.host;
    if (mark == "%p") name += marks.pid;
    if (mark == "%%") name += '%';
    if (!known) name += rest.front();
    rest.remove_prefix(known ? 2 : 1);
  }
  return name;
}

}  // namespace coalescope::tool
