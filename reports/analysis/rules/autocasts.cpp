// K02: what autocast converts in each call, and could be converted once.

#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

// Fewer may be the first calls of a program that goes on to train.
constexpr double kLeastConversions = 100;

Assessment assess_autocasts(const AutocastSubject& subject) {
  const AutocastRow& row = subject.row;
  const Measure conversions = measured(real(row.conversions));
  if (!conversions.reaches(kLeastConversions)) return {conversions};
  const std::string moved =
      row.bytes ? fmt::format(", which move {}", bytes_text(*row.bytes)) : std::string();
  return {
      conversions,
      {row.gpu_ns,
       fmt::format("all of the time of these conversions, {} times", base::format_count(row.conversions))},
      {FactList().count("conversions", row.conversions, "count").add("bytes", row.bytes, "bytes").take(),
       fmt::format("inside PyTorch's modules autocast makes {} conversions{}, and the process computes no "
                   "gradients",
                   base::format_count(row.conversions), moved)},
      {"K02.convert_once",
       {},
       "Convert the model once, before the loop (model.half() or model.to(torch.bfloat16)), hand it "
       "inputs of that type, and call it without torch.autocast."}};
}

}  // namespace

constinit const Rule<AutocastSubject> kAutocasts{
    {.id = "K02",
     .title = "Conversions by autocast",
     .repair = "convert the model once",
     .families = "none",
     .measure = "conversions inside PyTorch's modules, in a process without gradients",
     .limit = kLeastConversions,
     .unpriced_limit = kLeastConversions,
     .note = false,
     .calibrated = "no family: the time of the conversions themselves is measured",
     .is_of_calls = true},
    assess_autocasts,
    nullptr};

}  // namespace coalescope::analysis
