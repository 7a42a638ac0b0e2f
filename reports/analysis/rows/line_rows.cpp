#include "reports/analysis/rows/line_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>

#include "core/base/whole.h"
#include "reports/analysis/figures/access_shape.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rows/line_degree.h"
#include "reports/analysis/rows/needed_sectors.h"
#include "reports/analysis/rows/sibling_accesses.h"

namespace coalescope::analysis {
namespace {

constexpr double kHalfWarp = 16;
constexpr double kIndexBytes = 4;
constexpr std::int64_t kNarrow = 2;  // bytes of a lane's load

struct Sums {
  const capture::InstructionView* first = nullptr;
  std::int64_t instructions = 0;
  Count sectors, ideal, surplus;
  Count loads, stores, atomics, reductions, async_copies, threads, local_sectors;
  Count shared_requests, wavefronts, ideal_wavefronts, surplus_wavefronts;
  DistinctBytes bytes;             // of its loads and stores
  std::int64_t bytes_sectors = 0;  // that they touched
  bool index_load = false, apart_load = false, irregular_load = false;
  bool decoded = false, indexed = false;
  Count scattered_loads, scattered_stores, narrow_loads, gathered_surplus, indexed_sectors, host_sectors,
      piecewise;
  Count broadcast_loads;
  std::map<std::int64_t, std::int64_t> surplus_of_parameter;
};

// What the rest of its kernel tells of an instruction.
struct Neighbourhood {
  bool has_siblings = false;
  bool kept_by_l1 = false;  // the kernel's loads
  bool in_host_memory = false;
};

// group, file, line, pc: the last is 0 where a line is known.
using Key = std::tuple<std::int64_t, std::string_view, std::int64_t, std::int64_t>;

bool has_line(const capture::InstructionView& instruction) {
  return instruction.file.has_value() && instruction.line.has_value();
}

Key key_of(const capture::InstructionView& instruction) {
  if (has_line(instruction)) return {instruction.group_id.value, *instruction.file, *instruction.line, 0};
  return {instruction.group_id.value, "", -1, instruction.pc_offset};
}

struct Added {
  Count Sums::*sum;
  Count capture::InstructionCounts::*part;
};
constexpr std::array kAdded{
    Added{&Sums::loads, &capture::InstructionCounts::loads},
    Added{&Sums::stores, &capture::InstructionCounts::stores},
    Added{&Sums::atomics, &capture::InstructionCounts::atomics},
    Added{&Sums::reductions, &capture::InstructionCounts::reductions},
    Added{&Sums::async_copies, &capture::InstructionCounts::async_copies},
    Added{&Sums::threads, &capture::InstructionCounts::threads},
    Added{&Sums::local_sectors, &capture::InstructionCounts::local_sectors},
    Added{&Sums::shared_requests, &capture::InstructionCounts::shared_requests},
};

// Both or none; instruction by instruction, so that one's surplus cannot hide behind another's savings.
void add_pair(Count& actual, Count& ideal, Count& surplus, Count actual_part, Count ideal_part) {
  if (!plausible_count(actual_part) || !plausible_count(ideal_part)) return;
  add(actual, actual_part);
  add(ideal, ideal_part);
  add(surplus, std::max<std::int64_t>(0, *actual_part - *ideal_part));
}

// Where each lane has a sector of its own with each request, and L1 keeps the rest of it, runs begin where
// data say: indices that come back to L1 meet in a sector now and then.
bool goes_along_runs(const capture::InstructionView& instruction, const Neighbourhood& around) {
  return around.has_siblings || (around.kept_by_l1 && instruction.sectors == instruction.threads);
}

// What the code says goes before what the counts suggest.
void note_load_code(Sums& sums, const capture::InstructionView& instruction, Shape shape,
                    const Neighbourhood& around) {
  sums.decoded = true;
  if (instruction.code->indexed) add(sums.indexed_sectors, instruction.sectors);
  const bool indexed = instruction.code->indexed && shape != Shape::contiguous;
  sums.indexed |= indexed;
  if (indexed && plausible_count(instruction.ideal_sectors) && !goes_along_runs(instruction, around))
    add(sums.gathered_surplus, *instruction.sectors - needed_sectors(instruction));
  if (indexed && shape == Shape::apart) add(sums.scattered_loads, instruction.loads);
  // A neighbour's elements begin off a sector's boundary.
  const bool in_a_row = shape == Shape::contiguous || (shape == Shape::misaligned && !indexed);
  if (in_a_row && instruction.code->access_bytes.value_or(kNarrow + 1) <= kNarrow)
    add(sums.narrow_loads, instruction.loads);
}

void note_load_shape(Sums& sums, const capture::InstructionView& instruction, const Neighbourhood& around) {
  if (instruction.loads.value_or(0) <= 0) return;
  Request request{sectors_per_request(instruction.sectors, instruction.loads),
                  sectors_per_request(instruction.ideal_sectors, instruction.loads),
                  lanes(instruction.threads, instruction.loads)};
  const Shape shape = shape_of(request);
  if (instruction.code) note_load_code(sums, instruction, shape, around);
  // An index has four bytes or more for each lane: what is narrower, or shared by lanes, is none.
  if (shape == Shape::contiguous &&
      *request.needed * kSectorBytes >= kIndexBytes * request.lanes.value_or(32))
    sums.index_load = true;
  if (shape == Shape::apart || shape == Shape::strided) sums.apart_load = true;
  // A stride touches as many sectors with each full warp; indices meet in a sector now and then.
  const bool full = instruction.threads == base::product_of(*instruction.loads, 32);
  if (shape == Shape::apart && full && *instruction.sectors % *instruction.loads != 0)
    sums.irregular_load = true;
}

void note_store_code(Sums& sums, const capture::InstructionView& instruction) {
  if (instruction.stores.value_or(0) <= 0 || !instruction.code || !instruction.code->indexed) return;
  const Request request{sectors_per_request(instruction.sectors, instruction.stores),
                        sectors_per_request(instruction.ideal_sectors, instruction.stores),
                        lanes(instruction.threads, instruction.stores)};
  if (shape_of(request) == Shape::apart) add(sums.scattered_stores, instruction.stores);
}

// A load of one sector for half a warp or more: of narrow elements, or of a word that they share. Where the
// other loads of the kernel are as full as they can be, what is left for this one tells which.
bool is_broadcast(const capture::InstructionView& instruction, const DistinctBytes& distinct) {
  const auto sectors = sectors_per_request(instruction.sectors, instruction.loads);
  const auto threads = lanes(instruction.threads, instruction.loads);
  if (!sectors || *sectors > kBroadcastSectors || threads.value_or(kHalfWarp) < kHalfWarp) return false;
  return distinct.least <= kBroadcastDegree * kSectorBytes * static_cast<double>(*instruction.sectors) &&
         distinct.narrowed;
}

void add_instruction(Sums& sums, const capture::InstructionView& instruction,
                     const std::optional<DistinctBytes>& distinct, const Neighbourhood& around) {
  if (!sums.first) sums.first = &instruction;
  ++sums.instructions;
  if (plausible_count(instruction.sectors) && plausible_count(instruction.ideal_sectors)) {
    add(sums.sectors, instruction.sectors);
    add(sums.ideal, instruction.ideal_sectors);
    add(sums.surplus, *instruction.sectors - needed_sectors(instruction));
    if (around.in_host_memory) add(sums.host_sectors, instruction.sectors);
    if (instruction.code && instruction.code->parameter)
      base::add_to(sums.surplus_of_parameter[*instruction.code->parameter],
                   *instruction.sectors - needed_sectors(instruction));
  }
  add_pair(sums.wavefronts, sums.ideal_wavefronts, sums.surplus_wavefronts, instruction.shared_wavefronts,
           needed_wavefronts(instruction));
  for (const Added& each : kAdded) add(sums.*each.sum, instruction.*each.part);
  note_load_shape(sums, instruction, around);
  note_store_code(sums, instruction);
  if (around.has_siblings)
    add(sums.piecewise, instruction.loads.value_or(0) + instruction.stores.value_or(0));
  if (!distinct) return;
  if (instruction.loads.value_or(0) > 0)
    add(sums.broadcast_loads, is_broadcast(instruction, *distinct) ? instruction.loads : Count(0));
  sums.bytes.least += distinct->least;
  sums.bytes.greatest += distinct->greatest;
  sums.bytes_sectors += *instruction.sectors;
}

// Where two parameters have as much surplus, none is at fault alone.
std::optional<std::int64_t> parameter_at_fault(const std::map<std::int64_t, std::int64_t>& surplus) {
  if (surplus.empty()) return std::nullopt;
  const auto most = std::ranges::max_element(surplus, {}, [](const auto& each) { return each.second; });
  const auto as_much =
      std::ranges::count_if(surplus, [&](const auto& each) { return each.second == most->second; });
  return as_much == 1 ? std::optional(most->first) : std::nullopt;
}

LineRow row_of(const Sums& sums) {
  LineRow row;
  const auto& first = *sums.first;
  row.kernel_id = first.group_id.value;
  if (has_line(first)) {
    row.file = first.file;
    row.line = first.line;
  } else {
    row.pc_offset = first.pc_offset;
  }
  row.instructions = sums.instructions;
  const auto a_launch = [&](Count sum) -> Count {
    if (!sum) return std::nullopt;
    const auto launches = std::max<std::int64_t>(1, first.launches);
    return base::whole(static_cast<double>(*sum) / static_cast<double>(launches));
  };
  row.loads = a_launch(sums.loads);
  row.stores = a_launch(sums.stores);
  row.atomics = a_launch(sums.atomics);
  row.reductions = a_launch(sums.reductions);
  row.async_copies = a_launch(sums.async_copies);
  row.threads = a_launch(sums.threads);
  row.local_sectors = a_launch(sums.local_sectors);
  row.sectors = a_launch(sums.sectors);
  row.ideal_sectors = a_launch(sums.ideal);
  row.surplus_sectors = a_launch(sums.surplus);
  row.sector_efficiency = sector_efficiency(sums.ideal, sums.sectors);
  row.shared = {a_launch(sums.shared_requests), a_launch(sums.wavefronts), a_launch(sums.ideal_wavefronts),
                a_launch(sums.surplus_wavefronts)};
  if (sums.loads && sums.stores) {
    const std::int64_t requests =
        *sums.loads + *sums.stores + sums.atomics.value_or(0) + sums.reductions.value_or(0);
    row.sectors_per_request = sectors_per_request(sums.sectors, requests);
    // Asynchronous copies touch global memory, too, and their threads are counted.
    row.lanes = lanes(sums.threads, requests + sums.async_copies.value_or(0));
  }
  if (sums.bytes_sectors > 0) {
    const double moved = static_cast<double>(sums.bytes_sectors) * kSectorBytes;
    row.least_degree = std::min(1.0, sums.bytes.least / moved);
    row.greatest_degree = std::min(1.0, sums.bytes.greatest / moved);
  }
  row.broadcast_loads = a_launch(sums.broadcast_loads);
  row.scattered_stores = a_launch(sums.scattered_stores);
  row.narrow_loads = a_launch(sums.narrow_loads);
  row.gathered_surplus = a_launch(sums.gathered_surplus);
  row.indexed_sectors = a_launch(sums.indexed_sectors);
  row.host_sectors = a_launch(sums.host_sectors);
  row.piecewise = a_launch(sums.piecewise);
  row.indexed = sums.decoded ? sums.indexed : (sums.index_load && sums.apart_load) || sums.irregular_load;
  row.scattered_loads = sums.decoded ? a_launch(sums.scattered_loads) : row.indexed ? row.loads : Count();
  row.decoded = sums.decoded;
  row.parameter = parameter_at_fault(sums.surplus_of_parameter);
  row.traits = traits_of(row);
  return row;
}

// On every chip compilers keep the address of a thread's stack in this register, and reach spilled values
// from it by fixed offsets. The place of an element in an array is computed in another register.
constexpr std::int64_t kStackPointer = 1;

// Groups whose local memory holds more than spilled values, or whose code was not read.
std::set<std::int64_t> groups_with_arrays(std::span<const capture::InstructionView> instructions) {
  std::set<std::int64_t> groups;
  for (const auto& instruction : instructions)
    if (instruction.local_sectors.value_or(0) > 0 &&
        !(instruction.code && instruction.code->base_register == kStackPointer))
      groups.insert(instruction.group_id.value);
  return groups;
}

using Parameters = std::set<std::pair<std::int64_t, std::int64_t>>;  // groups and their parameters

Parameters host_parameters(std::span<const model::GroupPointer> pointers) {
  Parameters parameters;
  for (const auto& pointer : pointers)
    if (is_host_memory(pointer.memory)) parameters.emplace(pointer.group_id.value, pointer.parameter);
  return parameters;
}

bool leads_to(const Parameters& parameters, const capture::InstructionView& instruction) {
  return instruction.code && instruction.code->parameter &&
         parameters.contains({instruction.group_id.value, *instruction.code->parameter});
}

}  // namespace

std::vector<LineRow> line_rows(std::span<const capture::InstructionView> instructions,
                               std::span<const KernelRow> kernels,
                               std::span<const model::GroupPointer> pointers) {
  std::map<Key, Sums> by_line;
  const auto distinct = distinct_bytes(instructions, kernels);
  const auto siblings = have_siblings(instructions);
  const auto with_arrays = groups_with_arrays(instructions);
  std::unordered_map<std::int64_t, bool> kept;
  for (const auto& kernel : kernels) kept[kernel.id] = keeps_runs(kernel.load);
  const auto host = host_parameters(pointers);
  for (std::size_t at = 0; at < instructions.size(); ++at)
    add_instruction(by_line[key_of(instructions[at])], instructions[at], distinct[at],
                    {siblings[at], kept[instructions[at].group_id.value], leads_to(host, instructions[at])});

  std::unordered_map<std::int64_t, std::string_view> names;
  for (const auto& kernel : kernels) names[kernel.id] = kernel.name;
  std::vector<LineRow> rows;
  rows.reserve(by_line.size());
  for (const auto& [key, sums] : by_line) {
    rows.push_back(row_of(sums));
    LineRow& row = rows.back();
    row.kernel_name = names[row.kernel_id];
    row.spilled = row.local_sectors.value_or(0) > 0 && !with_arrays.contains(row.kernel_id);
  }
  std::ranges::stable_sort(rows, std::greater{}, [](const LineRow& row) {
    return std::pair(row.surplus_sectors.value_or(-1), row.sectors.value_or(-1));
  });
  return rows;
}

void name_worst_lines(std::vector<KernelRow>& kernels, std::span<const LineRow> lines) {
  std::unordered_map<std::int64_t, const LineRow*> worst;
  for (const auto& line : lines)
    if (line.file && line.surplus_sectors.value_or(0) > 0) worst.emplace(line.kernel_id, &line);
  for (auto& kernel : kernels)
    if (const auto line = worst.find(kernel.id); line != worst.end()) {
      kernel.worst_file = line->second->file;
      kernel.worst_line = line->second->line;
    }
}

}  // namespace coalescope::analysis
