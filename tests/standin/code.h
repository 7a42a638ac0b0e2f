#pragma once
// What a script's kernels do: the answers that the stand-in gives when they are counted, and with which a
// test compares the capture. The "machine code" of a module is its part of the script, so that whoever holds
// a cubin, coalescope_resolve included, knows its kernels.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/standin/script.h"

namespace standin {

struct CodeInstruction {
  std::int64_t pc_offset = 0;
  bool store = false;
  std::string file;  // empty: compiled without line information
  std::int64_t line = 0;
  std::map<std::string, std::int64_t, std::less<>> values;  // by the catalogue's key, where the script says
};

struct CodeKernel {
  std::string name;
  std::int64_t gpu_ns = 0;
  std::int64_t registers = 0;
  std::int64_t static_shared_bytes = 0;
  std::int64_t local_bytes = 0;
  bool has_parameter = false;  // one number: a launch does so many times as much
  bool has_pointer = false;    // in its place: a launch does what it does
  std::map<std::string, std::int64_t, std::less<>> values;
  std::vector<CodeInstruction> instructions;
};

// The kernels among the statements; what a script leaves out has a value of its own, so that every metric of
// the catalogue, also one that is added later, can be compared.
[[nodiscard]] std::vector<CodeKernel> kernels_in(const std::vector<Statement>& statements);

// What one launch counts, by the catalogue's key.
[[nodiscard]] std::int64_t value_of(const CodeKernel& kernel, std::string_view key);
[[nodiscard]] std::int64_t value_of(const CodeKernel& kernel, const CodeInstruction& instruction,
                                    std::string_view key);
// A load has no count of stores, and the other way round.
[[nodiscard]] bool applies(const CodeInstruction& instruction, std::string_view key);

[[nodiscard]] std::uint32_t checksum(std::string_view cubin);

// CUPTI's name to the catalogue's key; empty: the chip has no such metric.
[[nodiscard]] std::string_view key_of(std::string_view cupti_name);
[[nodiscard]] bool is_patched(std::string_view cupti_name);

}  // namespace standin
