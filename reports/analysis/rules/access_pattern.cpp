#include "reports/analysis/rules/access_pattern.h"

#include <algorithm>

#include "reports/analysis/figures/access_shape.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rows/request_lines.h"

namespace coalescope::analysis {
namespace {

// A level moves this much less than the one above asked of it: the one above kept it.
constexpr double kReuse = 2;
// DRAM moves little but what was requested.
constexpr double kAllUsed = 0.9;
// Without a loop each warp executes an instruction once; guards and last blocks make it a little less.
constexpr double kOnce = 1.1;
// Of the sectors that one side needs, the other's, in a transposition.
constexpr double kAsMuch = 0.5;
// Sectors of a request in which two lanes share each sector.
constexpr double kNearSectors = 16;

// In the end the rest of each sector is used, by the thread itself or by others.
bool kept_by_a_cache(const Access& access) {
  if (kept_by_l1(access)) return true;
  if (!access.dram_degree || !access.degree) return false;
  return *access.dram_degree >=
         std::min(kReuse * *access.degree, std::max(kAllUsed, *access.degree / kAllUsed));
}

const Access& access_of(const KernelRow& row, Operation operation) {
  return operation == Operation::load ? row.load : row.store;
}

double needed_sectors_of(const Access& access) {
  return real(access.sectors) * needed_share(access).value_or(1);
}

double executions_of(const LineRow& line, Operation operation) {
  return real(operation == Operation::load ? line.loads : line.stores);
}

// Without the requests that read a word for the whole warp: they touch one sector each, so that the mean of
// one of them and of lanes far apart looks like a stride.
Request without_broadcasts(Request request, double shared, double loads) {
  if (!request.touched || !request.needed || shared <= 0 || shared >= loads) return request;
  const double share = shared / loads;
  request.touched = (*request.touched - share) / (1 - share);
  request.needed = std::clamp((*request.needed - share) / (1 - share), 0.0, *request.touched);
  return request;
}

// The line with most of the surplus, if it has no accesses of the other kind: they would blur its shape.
const LineRow* plainest_line(const KernelSubject& kernel, Operation operation) {
  const LineRow* worst = nullptr;
  for (const LineRow* line : kernel.lines)
    if (surplus_of(*line, operation).value_or(0) > (worst ? surplus_of(*worst, operation).value_or(0) : 0))
      worst = line;
  const bool is_plain = worst != nullptr && worst->sectors && worst->ideal_sectors &&
                        real(worst->loads) + real(worst->stores) == executions_of(*worst, operation);
  return is_plain ? worst : nullptr;
}

// What a request looks like: of the worst line, as the mean over several lines has the shape of none; else of
// the kernel.
Request request_of(const KernelSubject& kernel, Operation operation) {
  if (const LineRow* line = plainest_line(kernel, operation)) {
    const double times = executions_of(*line, operation);
    return without_broadcasts({real(line->sectors) / times, real(line->ideal_sectors) / times, line->lanes},
                              real(line->broadcast_loads), times);
  }
  const Request request = mean_request(access_of(kernel.row, operation));
  if (operation == Operation::store) return request;
  double loads = 0, shared = 0;
  for (const LineRow* line : kernel.lines) {
    loads += real(line->loads);
    shared += real(line->broadcast_loads);
  }
  return without_broadcasts(request, shared, loads);
}

// How often a warp executes an instruction of the operation whose lanes lie apart, and how many of them there
// are.
struct WarpWalk {
  double times = 0;
  double instructions = 0;
  bool in_pieces = false;  // the code shows that each thread makes several within a line
};
WarpWalk walk_of(const KernelSubject& kernel, Operation operation) {
  const double warps = warps_of(kernel.row);
  WarpWalk walk;
  double executions = 0;
  for (const LineRow* line : kernel.lines) {
    const double own = executions_of(*line, operation);
    const double all = real(line->loads) + real(line->stores);
    const double shared = operation == Operation::load ? real(line->broadcast_loads) : 0;
    if (own <= shared || surplus_of(*line, operation).value_or(0) <= 0) continue;
    executions += own - shared;
    walk.instructions += real(line->instructions) * (own - shared) / all;
    walk.in_pieces |= real(line->piecewise) > 0;
  }
  if (walk.instructions > 0) walk.times = executions / walk.instructions / warps;
  return walk;
}

bool is_flat(const KernelRow& row) {
  return row.block[1] <= 1 && row.block[2] <= 1;
}

// Turning a tile helps where as much is moved along rows as down columns. Where both sides go down columns,
// or little is stored of what is loaded, the index is what one changes.
Pattern by_columns(const KernelSubject& kernel, Operation operation) {
  const Operation other = operation == Operation::load ? Operation::store : Operation::load;
  const double own_sectors = needed_sectors_of(access_of(kernel.row, operation));
  const double other_sectors = needed_sectors_of(access_of(kernel.row, other));
  const bool turns =
      shape_of(request_of(kernel, other)) != Shape::apart && other_sectors >= kAsMuch * own_sectors;
  return turns ? Pattern::transpose : Pattern::far_index;
}

// Each thread goes along a run of its own.
bool has_runs(const KernelSubject& kernel, Operation operation) {
  const WarpWalk walk = walk_of(kernel, operation);
  return is_flat(kernel.row) && walk.times > kOnce &&
         (walk.in_pieces || kept_by_l1(access_of(kernel.row, operation)));
}

// Each thread stores once on such a line: no run of its own begins there.
bool scatters(const KernelSubject& kernel) {
  double all = 0, scattered = 0;
  for (const LineRow* line : kernel.lines) {
    const double surplus = surplus_of(*line, Operation::store).value_or(0);
    all += surplus;
    if (2 * real(line->scattered_stores) > real(line->stores)) scattered += surplus;
  }
  return scattered > all / 2 && walk_of(kernel, Operation::store).times <= kOnce;
}

bool has_structures(const KernelSubject& kernel, Operation operation) {
  const WarpWalk walk = walk_of(kernel, operation);
  return is_flat(kernel.row) && walk.instructions >= 2 - (kOnce - 1) && walk.times > 0 &&
         walk.times <= kOnce && kept_by_a_cache(access_of(kernel.row, operation));
}

Pattern apart_pattern(const KernelSubject& kernel, Operation operation) {
  if (operation == Operation::store && scatters(kernel)) return Pattern::scatter;
  const Access& access = access_of(kernel.row, operation);
  const bool has_neighbours = kept_by_a_cache(access);
  if (has_structures(kernel, operation)) return Pattern::structures;
  // A field that is written by itself belongs to the structure whose others are read.
  if (operation == Operation::store && has_structures(kernel, Operation::load)) return Pattern::structures;
  if (!has_neighbours) return Pattern::far;
  // What is written along with what is read: an element of a thread's run each time.
  if (has_runs(kernel, operation) || (operation == Operation::store && has_runs(kernel, Operation::load)))
    return Pattern::chunks;
  return by_columns(kernel, operation);
}

// Most of the surplus is on lines whose lanes share sectors, so lanes are a few elements apart.
bool lanes_are_near(const KernelSubject& kernel, Operation operation) {
  double all = 0, near = 0;
  for (const LineRow* line : kernel.lines) {
    const double surplus = surplus_of(*line, operation).value_or(0);
    all += surplus;
    if (real(line->sectors) <= kNearSectors * (real(line->loads) + real(line->stores))) near += surplus;
  }
  return near > all / 2;
}

Pattern strided_pattern(const KernelSubject& kernel, Operation operation) {
  const Access& access = access_of(kernel.row, operation);
  if (follows_rows_of(request_of(kernel, operation), kernel.row.block)) return Pattern::narrow_block;
  if (!is_flat(kernel.row) && kept_by_a_cache(access) && !lanes_are_near(kernel, operation))
    return by_columns(kernel, operation);
  if (has_runs(kernel, operation)) return Pattern::chunks;
  return kept_by_l1(access) || has_structures(kernel, operation) ? Pattern::structures : Pattern::stride;
}

}  // namespace

bool kept_by_l1(const Access& access) {
  return access.l2_degree && access.degree && *access.l2_degree >= kReuse * *access.degree;
}

std::optional<double> surplus_of(const LineRow& line, Operation operation) {
  const double own = executions_of(line, operation);
  if (own <= 0) return std::nullopt;
  return real(line.surplus_sectors) * own / (real(line.loads) + real(line.stores));
}

Pattern pattern_of(const KernelSubject& kernel, Operation operation) {
  if (is_dense(access_of(kernel.row, operation))) return Pattern::halves;
  switch (shape_of(request_of(kernel, operation))) {
    case Shape::misaligned:
      return Pattern::offset;
    case Shape::ragged:
      return Pattern::rows;
    case Shape::strided:
      return strided_pattern(kernel, operation);
    case Shape::apart:
      return apart_pattern(kernel, operation);
    default:
      return Pattern::unclear;
  }
}

}  // namespace coalescope::analysis
