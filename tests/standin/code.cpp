#include "tests/standin/code.h"

#include <algorithm>

#include "core/model/metric.h"

namespace standin {
namespace {

std::uint32_t fnv1a(std::string_view text, std::uint32_t hash = 2166136261U) {
  for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 16777619U;
  return hash;
}

// Never 0 and seldom the same twice, so that a value that went to the wrong place shows.
std::int64_t own_value(std::string_view where, std::string_view key) {
  return 1000 + fnv1a(key, fnv1a(where)) % 9000;
}

std::map<std::string, std::int64_t, std::less<>> declared_values(const Statement& statement) {
  std::map<std::string, std::int64_t, std::less<>> values;
  for (const auto& metric : coalescope::model::metric_catalogue()) {
    const auto found = statement.options.find(metric.key);
    if (found != statement.options.end()) values[std::string(metric.key)] = std::stoll(found->second);
  }
  return values;
}

CodeInstruction instruction_from(const Statement& statement) {
  CodeInstruction instruction;
  instruction.store = statement.verb == "store";
  instruction.pc_offset = statement.number("pc", 16);
  instruction.file = statement.option("file", "");
  instruction.line = statement.number("line", 0);
  instruction.values = declared_values(statement);
  return instruction;
}

}  // namespace

std::vector<CodeKernel> kernels_in(const std::vector<Statement>& statements) {
  std::vector<CodeKernel> kernels;
  for (const auto& statement : statements) {
    if (statement.verb != "kernel") continue;
    CodeKernel kernel;
    kernel.name = statement.word(0);
    kernel.gpu_ns = statement.number("gpu_ns", own_value(kernel.name, "gpu_ns"));
    kernel.registers = statement.number("registers", 32);
    kernel.static_shared_bytes = statement.number("static_shared", 0);
    kernel.local_bytes = statement.number("local", 0);
    kernel.has_parameter = statement.has("parameter");
    kernel.has_pointer = statement.has("pointer");
    kernel.values = declared_values(statement);
    for (const auto& inner : statement.body) kernel.instructions.push_back(instruction_from(inner));
    if (statement.body.empty()) {
      const auto line = own_value(kernel.name, "line");
      kernel.instructions.push_back({16, false, "/source/" + kernel.name + ".cu", line, {}});
      kernel.instructions.push_back({48, true, "/source/" + kernel.name + ".cu", line + 1, {}});
    }
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

std::int64_t value_of(const CodeKernel& kernel, std::string_view key) {
  const auto found = kernel.values.find(key);
  return found == kernel.values.end() ? own_value(kernel.name, key) : found->second;
}

std::int64_t value_of(const CodeKernel& kernel, const CodeInstruction& instruction, std::string_view key) {
  if (!applies(instruction, key)) return 0;
  const auto found = instruction.values.find(key);
  if (found != instruction.values.end()) return found->second;
  return own_value(kernel.name + ":" + std::to_string(instruction.pc_offset), key);
}

bool applies(const CodeInstruction& instruction, std::string_view key) {
  return key.find(instruction.store ? "load" : "store") == std::string_view::npos;
}

std::uint32_t checksum(std::string_view cubin) {
  return fnv1a(cubin);
}

bool is_patched(std::string_view cupti_name) {
  return cupti_name.starts_with("smsp__sass_");
}

std::string_view key_of(std::string_view cupti_name) {
  for (const auto& metric : coalescope::model::metric_catalogue()) {
    // A chip knows one of the names; here it is always the first.
    if (metric.cupti_names.front() == cupti_name) return metric.key;
  }
  return {};
}

}  // namespace standin
