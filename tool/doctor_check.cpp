#include "tool/doctor_check.h"

#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <iterator>

#include "tool/helper.h"
#include "tool/program.h"

namespace coalescope::tool {

namespace {

ProbeLines fields_of(const std::string& text) {
  ProbeLines lines;
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    auto& fields = lines.emplace_back(1);
    for (std::size_t i = begin; i < end; ++i)
      if (text[i] == '\t')
        fields.emplace_back();
      else
        fields.back() += text[i];
  }
  return lines;
}

base::Result<ProbeLines> ask_probe(const std::vector<std::string>& question) {
  const auto program = find_companion("coalescope_probe");
  if (!program) return base::relay(program);
  const auto answer = ask_helper(*program, question, kQuestionLimit);
  if (!answer) return base::relay(answer);
  if (!answer->done())
    return base::failure(base::ErrorCode::failed,
                         fmt::format("the process that asked {}", why_not_done(*answer)));
  return fields_of(answer->output);
}

}  // namespace

std::string_view name_of(CheckState state) {
  switch (state) {
    case CheckState::ok:
      return "ok";
    case CheckState::degraded:
      return "degraded";
    case CheckState::missing:
      return "missing";
  }
  return "unknown";
}

std::string Machine::text_of(std::string_view path) const {
  std::ifstream file(at(path), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Machine this_machine() {
  Machine machine;
  machine.environment = [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
  machine.probe = ask_probe;
  return machine;
}

}  // namespace coalescope::tool
