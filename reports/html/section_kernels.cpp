// Every kernel group, with the chart that shows at a glance which of them are worth a look.
#include "reports/analysis/view/view.h"
#include "reports/html/kernel_columns.h"
#include "reports/html/sections.h"
#include "reports/html/values.h"

namespace coalescope::html {

Html kernels_section(const analysis::Report& report) {
  if (report.kernels.empty())
    return section("kernels", "Kernels",
                   paragraph(report.hidden.kernels.empty() ? "The program ran no kernel."
                                                           : "None of the kernels was asked for."));
  const bool apart = report.totals.kernel_groups > report.totals.kernel_families;
  Html content = paragraph((apart ? "A kernel is one function with its block size, over all its grids and "
                                    "processes. Below, each grid in "
                                    "each process is a row of its own, "
                                  : "Launches of one kernel with the same grid and block are one row, ") +
                           analysis::order_words(report, "the most GPU time first") +
                           ". Counts are those of one launch; rest the pointer on a number for its exact "
                           "value and the launches it "
                           "stands on.");
  if (apart)
    content << table<analysis::KernelFamily>(
        {"family-table", counted(std::ssize(report.kernel_families), "kernel", "kernels"), "kernels"},
        family_columns(), report.kernel_families,
        [](const analysis::KernelFamily&) { return std::string(); });
  content
      << chart(
             "kernels", "GPU time against degree of coalescing",
             "Points: a kernel's GPU time over its degree of coalescing, loads and stores apart. High and on "
             "the left is worth a look.")
      << table<analysis::KernelRow>(
             {"kernel-table", counted(std::ssize(report.kernels), "kernel group", "kernel groups"),
              "kernel groups"},
             kernel_columns(), report.kernels,
             [](const analysis::KernelRow& row) { return kernel_anchor(row.id); });
  return section("kernels", "Kernels", content);
}

}  // namespace coalescope::html
