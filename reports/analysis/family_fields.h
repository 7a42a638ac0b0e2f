#pragma once
// The fields of kernel families.

#include "reports/analysis/fields.h"
#include "reports/analysis/report.h"

namespace coalescope::analysis {

template <>
struct Fields<Spread> {
  static constexpr std::string_view
      kName = "spread",
      kAbout = "The least and the greatest ratio of the family's shapes; null: of none is it known.";
  static constexpr auto kAll =
      base::pack(Field{"least", &Spread::least, ""}, Field{"greatest", &Spread::greatest, ""});
};

template <>
struct Fields<FamilyPhase> {
  static constexpr std::string_view kName = "family_phase",
                                    kAbout = "How much of a family a phase has measured.";
  static constexpr auto kAll = base::pack(
      Field{"phase", &FamilyPhase::phase, ""},
      Field{"shapes", &FamilyPhase::shapes, "", "", Show::hidden, "", "Shapes that were measured."},
      Field{"share", &FamilyPhase::share, "", "", Show::hidden, "",
            "Of the family's GPU time, in these shapes."});
};

template <>
struct Fields<FamilyTotal> {
  static constexpr std::string_view kName = "family_total", kAbout = "A count over all launches of a family.";
  static constexpr auto kAll = base::pack(
      Field{"count", &FamilyTotal::count, "", "", Show::hidden, "",
            "One of load_bytes, load_sectors, store_bytes, store_sectors, l2_sectors, dram_bytes."},
      Field{"measured", &FamilyTotal::measured, "", "", Show::hidden, "",
            "Over all launches of the shapes that were measured."},
      Field{"estimated", &FamilyTotal::estimated, "", "", Show::hidden, "",
            "Over all launches of all shapes: those not measured lie on straight lines over the number of "
            "blocks between the "
            "sizes that were. null: every shape was measured, or fewer than two sizes were."},
      Field{"error", &FamilyTotal::error, "", "", Show::hidden, "",
            "Median of how far such a line misses a measured size that is left out, relative. null: fewer "
            "than three sizes."});
};

template <>
struct Fields<ProcessTime> {
  static constexpr std::string_view kName = "process_time", kAbout = "GPU time of a family in one process.";
  static constexpr auto kAll = base::pack(Field{"process_id", &ProcessTime::process_id, ""},
                                          Field{"gpu_ns", &ProcessTime::gpu_ns, ""});
};

template <>
struct Fields<KernelFamily> {
  static constexpr std::string_view kName = "kernel_family",
                                    kAbout =
                                        "One function with one block size, over all its grids and processes.";
  static constexpr Lack<KernelFamily> kTime{model::Phase::trace},
      kLoads{model::Phase::bytes, {}, [](const KernelFamily&row) { return !row.has_loads; }},
      kStores{model::Phase::bytes, {}, [](const KernelFamily&row) { return !row.has_stores; }},
      kHits{model::Phase::hits};
  static constexpr auto kAll = base::pack(
      Field{"name", &KernelFamily::name, "", "Kernel", Show::name, "", ""},
      Field{"full_name", &KernelFamily::full_name, ""},
      Field{"mangled_name", &KernelFamily::mangled_name, ""},
      Field{"block", &KernelFamily::block, "", "Block", Show::shape, "threads", "Threads of a block."},
      Field{"kernel_ids", &KernelFamily::kernel_ids, "", "", Show::hidden, "",
            "Its shapes in kernels, most GPU time first."},
      Field{"shapes", &KernelFamily::shapes, "", "Shapes", Show::count, "shapes", "Different grids."},
      Field{"variants", &KernelFamily::variants, "", "Variants", Show::count, "rows",
            "Rows of shapes whose launches do different things."},
      Field{"launches", &KernelFamily::launches, "", "Launches", Show::count, "launches",
            "How often it was launched."},
      Field{"timed_launches", &KernelFamily::timed_launches, "", "Timed", Show::count, "launches",
            "Launches that have a time."},
      Field{"gpu_ns", &KernelFamily::gpu_ns, "", "GPU time", Show::ns, "ns",
            "Of the shapes that have a time.", kTime},
      Field{"share", &KernelFamily::share, "", "Share", Show::share, "of the run's GPU time",
            "Of the run's GPU time.", kTime},
      Field{"load_degree", &KernelFamily::load_degree, "", "Degree of coalescing: loads", Show::share, "",
            "The least and the greatest of the shapes that were measured.", kLoads},
      Field{"store_degree", &KernelFamily::store_degree, "", "Degree of coalescing: stores", Show::share, "",
            "The least and the greatest of the shapes that were measured.", kStores},
      Field{"load_sectors_per_request", &KernelFamily::load_sectors_per_request, "",
            "Sectors per request: loads", Show::ratio, "",
            "The least and the greatest of the shapes that were measured.", kLoads},
      Field{"store_sectors_per_request", &KernelFamily::store_sectors_per_request, "",
            "Sectors per request: stores", Show::ratio, "",
            "The least and the greatest of the shapes that were measured.", kStores},
      Field{"l2_hit_ratio", &KernelFamily::l2_hit_ratio, "", "L2: hits", Show::share, "",
            "The least and the greatest of the shapes that were measured.", kHits},
      Field{"has_loads", &KernelFamily::has_loads, "", "", Show::hidden, "",
            "false: every shape was measured to have none."},
      Field{"has_stores", &KernelFamily::has_stores, "", "", Show::hidden, "",
            "false: every shape was measured to have none."},
      Field{"mixed", &KernelFamily::mixed, "", "", Show::hidden, "",
            "Launches of one of its shapes differ by more than noise."},
      Field{"phases", &KernelFamily::phases, ""}, Field{"totals", &KernelFamily::totals, ""},
      Field{"processes", &KernelFamily::processes, ""},
      Field{"imbalance", &KernelFamily::imbalance, "", "Imbalance", Show::share, "more than the mean",
            "The most GPU time of a process / the mean of all - 1. null: one process."});
};

}  // namespace coalescope::analysis
