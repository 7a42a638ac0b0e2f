#include "reports/comparison/transfers.h"

#include <algorithm>
#include <map>
#include <set>

#include "reports/analysis/view/shown.h"
#include "reports/comparison/change.h"

namespace coalescope::comparison {
namespace {

using analysis::Report;
using analysis::Show;
using analysis::spoken;
using analysis::TransferRow;

// Frameworks copy single numbers and small tables at moments that differ: less than this is not theirs to
// judge, nor anybody's.
constexpr double kLeastBytes = 1 << 20;
constexpr double kLeastTransfers = 10;

struct Totals {
  double transfers = 0, bytes = 0, pageable_bytes = 0, gpu_ns = 0;
  bool timed = true;
};

std::map<std::string, Totals> totals_of(const Report& report) {
  std::map<std::string, Totals> classes;
  for (const TransferRow& row : report.transfers) {
    Totals& totals = classes[class_of(row)];
    totals.transfers += static_cast<double>(row.transfers);
    totals.bytes += static_cast<double>(row.bytes);
    if (row.source_memory == model::MemoryKind::pageable ||
        row.destination_memory == model::MemoryKind::pageable)
      totals.pageable_bytes += static_cast<double>(row.bytes);
    totals.gpu_ns += static_cast<double>(row.gpu_ns.value_or(0));
    totals.timed = totals.timed && row.gpu_ns;
  }
  return classes;
}

Number judged(std::string key, std::string label, Show show, std::optional<double> before,
              std::optional<double> after, double noise, double least = 0) {
  Number number{.key = std::move(key), .label = std::move(label), .show = show};
  number.before = before;
  number.after = after;
  number.noise = noise;
  number.judgement = judge(before, after, noise, least);
  return number;
}

Number time_of(std::string key, std::string label, std::optional<double> before, std::optional<double> after,
               double least_ns, double noise = kTimeNoise) {
  Number number = judged(std::move(key), std::move(label), Show::ns, before, after, noise, least_ns);
  number.advice = true;
  return number;
}

Judgement judgement_of(const RowChange& row) {
  Judgement judgement = Judgement::same;
  for (const Number& number : row.numbers)
    if (!number.advice) judgement = both(judgement, number.judgement);
  return judgement;
}

std::optional<double> number_in(const std::optional<std::int64_t>& value) {
  return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
}

std::map<std::string, double> peaks_of(const Report& report) {
  std::map<std::string, double> peaks;
  for (const auto& sum : report.program.allocations)
    peaks[spoken(name_of(sum.kind))] += static_cast<double>(sum.most_bytes);
  return peaks;
}

}  // namespace

std::string class_of(const TransferRow& row) {
  return spoken(name_of(row.direction));
}

std::vector<RowChange> compare_transfers(const Report& before, const Report& after) {
  const auto before_classes = totals_of(before), after_classes = totals_of(after);
  std::map<std::string, std::pair<Totals, Totals>> classes;
  for (const auto& [name, totals] : before_classes) classes[name].first = totals;
  for (const auto& [name, totals] : after_classes) classes[name].second = totals;
  const double noise = number_noise(before, after);
  std::vector<RowChange> rows;
  for (const auto& [name, sides] : classes) {
    const auto& [one, other] = sides;
    RowChange row{name, {}, Judgement::same};
    row.numbers.push_back(judged("bytes", "bytes", Show::bytes, one.bytes, other.bytes, noise, kLeastBytes));
    row.numbers.push_back(judged("pageable_bytes", "bytes of pageable memory", Show::bytes,
                                 one.pageable_bytes, other.pageable_bytes, noise, kLeastBytes));
    row.numbers.push_back(judged("transfers", "transfers", Show::count, one.transfers, other.transfers, noise,
                                 kLeastTransfers));
    if (one.gpu_ns > 0 && other.gpu_ns > 0 && one.timed && other.timed)
      row.numbers.push_back(time_of("gpu_ns", "GPU time", one.gpu_ns, other.gpu_ns, least_time(before)));
    row.judgement = judgement_of(row);
    rows.push_back(std::move(row));
  }
  std::ranges::stable_sort(rows, std::greater{}, [](const RowChange& row) {
    return std::pair(row.judgement != Judgement::same, std::max(row.numbers[0].before, row.numbers[0].after));
  });
  return rows;
}

std::vector<RowChange> compare_memory(const Report& before, const Report& after) {
  const auto before_peaks = peaks_of(before), after_peaks = peaks_of(after);
  std::set<std::string> kinds;
  for (const auto& [kind, bytes] : before_peaks) kinds.insert(kind);
  for (const auto& [kind, bytes] : after_peaks) kinds.insert(kind);
  const auto of = [](const std::map<std::string, double>& peaks, const std::string& kind) {
    const auto found = peaks.find(kind);
    return found == peaks.end() ? 0.0 : found->second;
  };
  std::vector<RowChange> rows;
  for (const auto& kind : kinds) {
    RowChange row{kind, {}, Judgement::same};
    row.numbers.push_back(judged("most_bytes", "most bytes at one time", Show::bytes, of(before_peaks, kind),
                                 of(after_peaks, kind), kOneLaunch, kLeastBytes));
    // To pin host memory is a repair as often as a fault.
    const bool of_device = kind == "device" || kind == "managed" || kind == "pool" || kind == "array";
    Judgement& judgement = row.numbers.front().judgement;
    if (!of_device && judgement != Judgement::same) judgement = Judgement::changed;
    row.judgement = judgement_of(row);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string transfers_subject(const RowChange& row) {
  return "transfers: " + (row.name == name_of(model::Direction::set) ? "memory set" : row.name);
}

RowChange compare_run(const Report& before, const Report& after) {
  RowChange run{"run", {}, Judgement::same};
  const auto gpu_ns = [](const Report& report) {
    return report.totals.untimed_groups == 0 || report.totals.kernel_ns > 0
               ? number_in(analysis::run_ns(report.totals))
               : std::nullopt;
  };
  run.numbers.push_back(time_of("gpu_ns", "GPU time", gpu_ns(before), gpu_ns(after), 0));
  run.numbers.push_back(time_of("wall_ns", "duration with recording", number_in(before.totals.wall_ns),
                                number_in(after.totals.wall_ns), 0, kDurationNoise));
  return run;
}

}  // namespace coalescope::comparison
