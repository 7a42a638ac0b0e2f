#include "injection/cupti/instruction_lines.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/capture/reader.h"
#include "core/capture/writer.h"
#include "core/machine_code/memory_code.h"
#include "core/machine_code/parameters.h"
#include "core/ring/part_writer.h"
#include "injection/cupti/cubin.h"
#include "injection/cupti/cupti_api.h"
#include "injection/cupti/kernel_code.h"
#include "injection/cupti/line_tables.h"
#include "injection/cupti/module_code.h"

namespace coalescope::cupti {
namespace {

using Pointer = std::pair<std::int64_t, std::int64_t>;  // a parameter's number, and the byte in it

struct Wanted {
  std::vector<model::Instruction> instructions;
  std::map<model::KernelId, std::string> kernel_names;
  std::map<model::KernelId, std::set<Pointer>> pointers;  // of any of a kernel's groups
  std::set<KernelPlace> places;

  [[nodiscard]] KernelPlace place_of(const model::Instruction& instruction) const {
    return {instruction.module_crc, kernel_names.at(instruction.kernel_id)};
  }
};

base::Result<Wanted> read_wanted(const std::string& part) {
  auto reader = capture::Reader::open(part);
  if (!reader) return base::relay(reader);
  auto instructions = reader->rows<model::Instruction>();
  if (!instructions) return base::relay(instructions);
  auto kernels = reader->rows<model::Kernel>();
  if (!kernels) return base::relay(kernels);
  const auto groups = reader->rows<model::KernelGroup>();
  if (!groups) return base::relay(groups);
  const auto pointers = reader->rows<model::GroupPointer>();
  if (!pointers) return base::relay(pointers);
  Wanted wanted;
  for (const auto& kernel : *kernels) wanted.kernel_names.emplace(kernel.id, kernel.name);
  std::map<model::GroupId, model::KernelId> kernel_of;
  for (const auto& group : *groups) kernel_of.emplace(group.id, group.kernel_id);
  for (const auto& pointer : *pointers)
    if (const auto kernel = kernel_of.find(pointer.group_id); kernel != kernel_of.end())
      wanted.pointers[kernel->second].emplace(pointer.parameter, pointer.byte);
  for (auto& instruction : *instructions) {
    if (instruction.source_state != model::SourceState::unresolved) continue;
    wanted.places.insert(wanted.place_of(instruction));
    wanted.instructions.push_back(std::move(instruction));
  }
  return wanted;
}

// For code whose table cannot be read. CUPTI allocates both names for the caller; without line information it
// answers success and no name.
[[nodiscard]] CUptiResult ask_cupti(const CuptiApi& api, Cubin cubin, const std::string& kernel_name,
                                    model::Instruction& instruction) {
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

// Where code lies: beside a part that a process has left, or in a capture that waits for its lines.
struct Code {
  std::optional<ModuleCode> file;
  std::vector<model::Module> rows;  // of the capture
  CubinSections sections;

  [[nodiscard]] std::vector<Cubin> all() const {
    if (file) return file->all();
    std::vector<Cubin> cubins;
    for (const auto& row : rows)
      if (row.code) cubins.emplace_back(*row.code);
    return cubins;
  }
};

base::Result<Code> open_code(const std::string& path) {
  Code code;
  if (path.ends_with(ring::kPartEnding)) {
    auto file = ModuleCode::open(path.substr(0, path.size() - ring::kPartEnding.size()) +
                                 std::string(ring::kCodeEnding));
    if (!file) return base::relay(file);
    code.file.emplace(std::move(*file));
    return code;
  }
  auto rows = capture::Reader::open(path).and_then(
      [](capture::Reader reader) { return reader.rows<model::Module>(); });
  if (!rows) return base::relay(rows);
  code.rows = std::move(*rows);
  return code;
}

// The modules of a part, each with its code if an instruction of it still waits for its line. What was not
// `found` is known by the functions that it holds.
base::Result<void> write_modules(capture::Writer& writer, Code& code, const Wanted& wanted,
                                 const KernelCode& found, bool have_cupti) {
  std::set<KernelPlace> waiting;
  std::set<std::int64_t> waiting_crcs;
  for (const auto& instruction : wanted.instructions) {
    if (instruction.source_state != model::SourceState::unresolved) continue;
    waiting.insert(wanted.place_of(instruction));
    waiting_crcs.insert(instruction.module_crc);
  }
  for (auto row : code.rows) {
    if (!row.code || waiting_crcs.contains(row.crc)) continue;
    row.code.reset();
    if (auto done = writer.replace(row); !done) return base::relay(done);
  }
  if (!code.file) return {};
  std::set<std::pair<std::int64_t, const std::byte*>> written;
  model::Module row;
  row.process_id = model::ProcessId{1};
  const auto write = [&](std::int64_t crc, Cubin cubin) -> base::Result<void> {
    if (!written.emplace(crc, cubin.data()).second) return {};
    ++row.id.value;
    row.crc = crc;
    row.size_bytes = static_cast<std::int64_t>(cubin.size());
    row.code.reset();
    if (waiting_crcs.contains(crc)) row.code.emplace(cubin.begin(), cubin.end());
    return writer.replace(row);
  };
  for (const auto& [place, cubin] : found)
    if (auto done = write(place.module_crc, cubin); !done) return base::relay(done);
  if (have_cupti) return {};
  const auto cubins = code.all();
  for (const auto& place : waiting) {
    for (const auto& cubin : cubins)
      if (code.sections.holds_function(cubin, place.function))
        if (auto done = write(place.module_crc, cubin); !done) return base::relay(done);
  }
  return {};
}

struct Function {
  machine_code::Parameters parameters;
  std::map<std::int64_t, machine_code::MemoryCode> code;
};

Function decoded(Cubin cubin, const std::string& name) {
  Function function;
  function.parameters = machine_code::parameters_of(CubinSections::function_info(cubin, name));
  function.code =
      machine_code::decode_memory_code(CubinSections::function_code(cubin, name), function.parameters.at);
  return function;
}

// The one of these pointers that the address is computed with; nullopt: with none of them, or with several.
std::optional<Pointer> pointer_of(std::uint64_t words, const machine_code::Parameters& parameters,
                                  const std::set<Pointer>& pointers) {
  std::optional<Pointer> found;
  for (const auto& [parameter, byte] : pointers) {
    const auto offset = parameters.offsets.find(parameter);
    if (offset == parameters.offsets.end()) continue;
    const std::int64_t word = (offset->second + byte) / machine_code::kParameterWordBytes;
    if (word >= machine_code::kParameterWords || (words >> static_cast<unsigned>(word) & 1) == 0) continue;
    if (found) return std::nullopt;
    found = {parameter, byte};
  }
  return found;
}

// What the code of each instruction says, as far as it was kept and can be decoded.
void decode_instructions(const KernelCode& found, Wanted& wanted) {
  std::map<KernelPlace, Function> functions;
  for (auto& instruction : wanted.instructions) {
    const auto cubin = found.find(wanted.place_of(instruction));
    if (cubin == found.end()) continue;
    const auto [at, is_new] = functions.try_emplace(cubin->first);
    Function& function = at->second;
    if (is_new) function = decoded(cubin->second, cubin->first.function);
    const auto code = function.code.find(instruction.pc_offset);
    if (code == function.code.end()) continue;
    const auto& [known, words] = code->second;
    instruction.operation = known.operation;
    instruction.access_bytes = known.access_bytes;
    instruction.base_register = known.base_register;
    instruction.base_offset = known.base_offset;
    instruction.indexed = known.indexed;
    const auto pointer = pointer_of(words, function.parameters, wanted.pointers[instruction.kernel_id]);
    if (!pointer) continue;
    instruction.parameter = pointer->first;
    instruction.parameter_byte = pointer->second;
  }
}

// What could not be looked up, by module: that costs its own lines only.
struct Failures {
  std::set<std::int64_t> crcs;
  CUptiResult last = CUPTI_SUCCESS;
};

// `api`: nullptr where it is not needed.
base::Result<Failures> resolve_all(const CuptiApi* api, Code& code, LineTables& tables,
                                   const KernelCode& found, Wanted& wanted, capture::Writer& writer) {
  Failures failed;
  for (auto& instruction : wanted.instructions) {
    const auto cubin = found.find(wanted.place_of(instruction));
    if (cubin == found.end()) continue;
    const std::string& kernel = cubin->first.function;
    if (!tables.tell(cubin->second, kernel, instruction)) {
      const bool without_lines =
          code.sections.holds_function(cubin->second, kernel) &&
          (!code.sections.holds_lines(cubin->second) || tables.holds(cubin->second, kernel));
      const auto answer = without_lines || api == nullptr
                              ? CUPTI_SUCCESS
                              : ask_cupti(*api, cubin->second, kernel, instruction);
      if (without_lines) instruction.source_state = model::SourceState::no_line_info;
      if (answer != CUPTI_SUCCESS) {
        failed.crcs.insert(instruction.module_crc);
        failed.last = answer;
      }
    }
    if (auto done = writer.replace(instruction); !done) return base::relay(done);
  }
  return failed;
}

// Modules of which a function was found, or of which one was not.
std::size_t modules_of(const std::set<KernelPlace>& places, const KernelCode& found, bool are_found) {
  std::set<std::int64_t> crcs;
  for (const KernelPlace& place : places)
    if (found.contains(place) == are_found) crcs.insert(place.module_crc);
  return crcs.size();
}

base::Error lines_missing(const CuptiApi& api, const Failures& failed, std::size_t modules) {
  const auto why = cupti_error(api, failed.last, "cuptiGetSassToSourceCorrelation");
  const auto others = modules - failed.crcs.size();
  const std::string rest = others == 0   ? ""
                           : others == 1 ? "; those of the other one were"
                                         : "; those of the other " + std::to_string(others) + " were";
  return {why.code,
          "the lines of " + std::to_string(failed.crcs.size()) + " of " + std::to_string(modules) +
              " modules could not be looked up (" + why.text() + ")" + rest,
          {}};
}

}  // namespace

base::Result<void> find_instruction_lines(const std::string& path, const std::string& recorded_with) {
  auto wanted = read_wanted(path);
  if (!wanted) return base::relay(wanted);
  if (wanted->instructions.empty()) return {};
  auto code = open_code(path);
  if (!code) return base::relay(code);
  LineTables tables;
  const auto cubins = code->all();
  const auto by_names = code_by_names(cubins, code->sections, tables, wanted->places);
  CuptiClues clues = clues_of_process();
  clues.recorded = recorded_with;
  std::optional<base::Result<CuptiApi>> cupti;
  if (!by_names) cupti = load_cupti(clues);
  const CuptiApi* const api = cupti && *cupti ? &**cupti : nullptr;
  const auto found = by_names ? *by_names
                     : api    ? code_by_checksums(*api, cubins, code->sections, wanted->places)
                              : KernelCode{};

  decode_instructions(found, *wanted);
  auto writer = capture::Writer::open(path);
  if (!writer) return base::relay(writer);
  auto failed = resolve_all(api, *code, tables, found, *wanted, *writer);
  if (!failed) return base::relay(failed);
  if (auto done = write_modules(*writer, *code, *wanted, found, by_names || api != nullptr); !done)
    return base::relay(done);
  if (auto done = writer->commit(); !done) return base::relay(done);
  if (cupti && !*cupti) return base::relay(*cupti);
  const auto missing = modules_of(wanted->places, found, false);
  if (missing > 0)
    return base::failure(base::ErrorCode::not_found,
                         std::to_string(missing) + " modules' code was not kept, so their lines are unknown");
  if (failed->crcs.empty()) return {};
  return base::failure(lines_missing(*api, *failed, modules_of(wanted->places, found, true)));
}

}  // namespace coalescope::cupti
