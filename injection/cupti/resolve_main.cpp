// coalescope_resolve PART.coal: finds the source line of each instruction of a part, once its process has
// ended. It needs libcupti but no GPU, and speaks through the file alone. Exit status: 0 done, 1 not done
// (one line on stderr says why), 2 usage.

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/base/log.h"
#include "core/capture/reader.h"
#include "core/capture/writer.h"
#include "injection/cupti/cupti_api.h"
#include "injection/cupti/module_code.h"

namespace {

using namespace coalescope;

struct Wanted {
  std::vector<model::Instruction> instructions;
  std::map<model::KernelId, std::string> kernel_names;
  std::set<std::int64_t> crcs;
};

base::Result<Wanted> read_wanted(const std::string& part) {
  auto reader = capture::Reader::open(part);
  if (!reader) return tl::unexpected(reader.error());
  auto instructions = reader->rows<model::Instruction>();
  if (!instructions) return tl::unexpected(instructions.error());
  auto kernels = reader->rows<model::Kernel>();
  if (!kernels) return tl::unexpected(kernels.error());
  Wanted wanted;
  for (const auto& kernel : *kernels) wanted.kernel_names.emplace(kernel.id, kernel.name);
  for (auto& instruction : *instructions) {
    if (instruction.source_state != model::SourceState::unresolved) continue;
    wanted.crcs.insert(instruction.module_crc);
    wanted.instructions.push_back(std::move(instruction));
  }
  return wanted;
}

// CUPTI allocates both names for the caller; without line information it answers success and no name.
[[nodiscard]] CUptiResult resolve(const cupti::CuptiApi& api, cupti::ModuleCode::Cubin cubin,
                                  const std::string& kernel_name, model::Instruction& instruction) {
  CUpti_GetSassToSourceCorrelationParams params{};
  params.size = CUpti_GetSassToSourceCorrelationParamsSize;
  params.cubin = cubin.data();
  params.cubinSize = cubin.size();
  params.functionName = kernel_name.c_str();
  params.pcOffset = static_cast<std::uint64_t>(instruction.pc_offset);
  const auto code = api.cuptiGetSassToSourceCorrelation(&params);
  if (code != CUPTI_SUCCESS) return code;
  const bool known = params.fileName != nullptr && params.lineNumber > 0;
  instruction.source_state = known ? model::SourceState::resolved : model::SourceState::no_line_info;
  if (known) {
    std::filesystem::path file(params.fileName);
    if (file.is_relative() && params.dirName != nullptr) file = std::filesystem::path(params.dirName) / file;
    instruction.file = file.lexically_normal().string();
    instruction.line = params.lineNumber;
  }
  std::free(params.fileName);
  std::free(params.dirName);
  return code;
}

base::Result<void> resolve_part(const std::string& part) {
  auto wanted = read_wanted(part);
  if (!wanted) return tl::unexpected(wanted.error());
  if (wanted->instructions.empty()) return {};
  const char* folder = std::getenv("COALESCOPE_CUPTI_PATH");
  const auto api = cupti::load_cupti(folder == nullptr ? "" : folder);
  if (!api) return tl::unexpected(api.error());
  const auto code = cupti::ModuleCode::open(part.substr(0, part.rfind(".part.coal")) + ".code");
  if (!code) return tl::unexpected(code.error());
  const auto cubins = code->find(*api, wanted->crcs);

  auto writer = capture::Writer::open(part);
  if (!writer) return tl::unexpected(writer.error());
  model::Module module;
  module.process_id = model::ProcessId{1};
  for (const auto& [crc, cubin] : cubins) {
    ++module.id.value;
    module.crc = crc;
    module.size_bytes = static_cast<std::int64_t>(cubin.size());
    if (auto done = writer->replace(module); !done) return done;
  }
  CUptiResult failure = CUPTI_SUCCESS;
  for (auto& instruction : wanted->instructions) {
    const auto cubin = cubins.find(instruction.module_crc);
    if (cubin == cubins.end()) continue;
    const auto answer =
        resolve(*api, cubin->second, wanted->kernel_names[instruction.kernel_id], instruction);
    if (answer != CUPTI_SUCCESS) failure = answer;
    if (auto done = writer->replace(instruction); !done) return done;
  }
  if (auto done = writer->commit(); !done) return done;
  const auto missing = wanted->crcs.size() - cubins.size();
  if (missing > 0)
    return base::failure(base::ErrorCode::not_found,
                         std::to_string(missing) + " modules' code was not kept, so their lines are unknown");
  if (failure != CUPTI_SUCCESS)
    return tl::unexpected(cupti::cupti_error(*api, failure, "cuptiGetSassToSourceCorrelation"));
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("coalescope: error: coalescope_resolve wants one argument, a part of a capture\n", stderr);
    return 2;
  }
  try {
    const auto done = resolve_part(argv[1]);
    if (done) return 0;
    base::log_error(done.error());
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "coalescope: fatal: %s\n", exception.what());
  }
  return 1;
}
