#include "tool/doctor_program.h"

#include <array>
#include <fmt/format.h>
#include <fstream>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "core/symbols/elf_file.h"
#include "tool/helper.h"

namespace coalescope::tool {

namespace {

// Why nothing can be preloaded into it; empty: it can.
std::string obstacle(const std::string& path, const symbols::ElfFile& elf) {
  struct stat status {};
  if (!elf.is_64_bit) return "is a 32-bit program";
  if (!elf.has_loader) return "is linked statically";
  if (::stat(path.c_str(), &status) == 0 && (status.st_mode & (S_ISUID | S_ISGID)) != 0)
    return "runs with another user's rights";
  if (::getxattr(path.c_str(), "security.capability", nullptr, 0) > 0) return "has file capabilities";
  return {};
}

Check host_lines(const std::string& path, const symbols::ElfFile& elf) {
  if (elf.has(".debug_line") || elf.has(".zdebug_line"))
    return {"program", CheckState::ok, fmt::format("'{}' has the lines of its host code", path)};
  if (elf.has(".gnu_debuglink") || elf.has(".gnu_debugaltlink"))
    return {"program", CheckState::ok,
            fmt::format("'{}' has the lines of its host code in a file of its own", path)};
  Check check{"program", CheckState::degraded, "", "compile its host code with -g (-Xcompiler -g for nvcc)"};
  check.text = elf.has(".symtab") ? fmt::format("'{}' has the functions of its host code, and no lines", path)
                                  : fmt::format("'{}' is stripped: its calls have offsets only", path);
  return check;
}

// cuobjdump lists the sections of each kernel's code.
Check kernel_lines(const std::string& path, const std::filesystem::path& cuobjdump) {
  if (cuobjdump.empty())
    return {"kernels", CheckState::degraded,
            fmt::format("'{}' has kernels; whether they have lines is not known without cuobjdump", path),
            "pip install nvidia-cuda-cuobjdump"};
  const auto answer = ask_helper(cuobjdump, {"-elf", path}, kQuestionLimit);
  for (const char* section : {".nv_debug_line_sass", ".debug_line"})
    if (answer && answer->output.find(section) != std::string::npos)
      return {"kernels", CheckState::ok, fmt::format("kernels of '{}' have lines", path)};
  if (!answer || !answer->done() || answer->output.size() >= kMostHelperBytes)
    return {"kernels", CheckState::degraded,
            fmt::format("whether kernels of '{}' have lines is not known: cuobjdump {}", path,
                        !answer          ? "cannot be run"
                        : answer->done() ? "lists more than is read"
                                         : why_not_done(*answer))};
  return {"kernels", CheckState::degraded,
          fmt::format("kernels of '{}' have no lines: a report names offsets in their code", path),
          "compile its kernels with -lineinfo"};
}

Check triton_lines(const Machine& machine, const std::string& path) {
  const std::string off = machine.variable("TRITON_DISABLE_LINE_INFO");
  if (off.empty() || off == "0")
    return {"program", CheckState::ok,
            fmt::format("'{}' is run by an interpreter: see the line of it", path)};
  return {"program", CheckState::degraded, "TRITON_DISABLE_LINE_INFO is set: kernels of Triton have no lines",
          "unset TRITON_DISABLE_LINE_INFO"};
}

bool is_script(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, 2> begin{};
  return file.read(begin.data(), begin.size()) && begin[0] == '#' && begin[1] == '!';
}

}  // namespace

Checks check_program(const Machine& machine, const std::string& program,
                     const std::filesystem::path& cuobjdump) {
  if (is_script(program)) return {triton_lines(machine, program)};
  const auto elf = symbols::read_elf(program);
  if (!elf) return {{"program", CheckState::missing, fmt::format("'{}' is no program of Linux", program)}};
  if (const std::string why = obstacle(program, *elf); !why.empty())
    return {{"program", CheckState::missing,
             fmt::format("'{}' {}: nothing can be preloaded into it, so it cannot be recorded", program, why),
             "build it for 64 bits, linked dynamically, without special rights"}};
  Checks checks{host_lines(program, *elf)};
  if (std::filesystem::path(program).filename().string().starts_with("python"))
    checks = {triton_lines(machine, program)};
  if (elf->has(".nv_fatbin")) checks.push_back(kernel_lines(program, cuobjdump));
  return checks;
}

}  // namespace coalescope::tool
