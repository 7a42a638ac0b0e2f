#pragma once
// A rule is a row: what it judges, from which value on that is a finding, and how it looks at a subject.
// Renderers know findings, never rules; adding one is a file in rules/, a row in rules.h and a page in
// docs/rules/.

#include <optional>
#include <string_view>

#include "reports/analysis/rules/assessment.h"
#include "reports/analysis/rules/subjects.h"

namespace coalescope::analysis {

// What a drawing of one request shows (view/warp_picture.h).
enum class Picture { none, sectors, gather, broadcast, idle_lanes, narrow, atomics };

// What people are told of a rule; its page is docs/rules/<id>.md.
struct RuleAbout {
  std::string_view id;          // "G01": stable; printed, linked and suppressed by it
  std::string_view title;       // "Uncoalesced loads"
  std::string_view repair;      // "coalesce the loads of {}": what to do to the subject
  std::string_view families;    // of the reference kernels: "A3 A4 A5"
  std::string_view measure;     // what the judged number is, in words
  double limit;                 // a finding from here on
  double unpriced_limit;        // the same where the cost is unknown: only what is bad whatever it costs
  bool note;                    // without a cost no more than a note: worth knowing, not known to cost time
  std::string_view calibrated;  // which reference kernels justify the limits
  // Where two rules see parts of one fault, such as loads and stores: which one this is.
  std::string_view part = {};
  Picture picture = Picture::none;
  // Four of five predictions are off by less than this share of the subject's time: of the twins
  // (docs/accuracy.md) and the jury (docs/jury.md). Rules with fewer than five have what 90 % of all
  // predictions keep to. docs/model.md has the figures.
  double price_error = 0.16;
  // A loss that the repairs of these rules ("G01 L01") end, too: where those save as much, of the same kernel
  // if it is one's, it is no finding of its own.
  std::string_view ended_by = {};
  bool comes_first = false;  // of one kernel before what other rules say, whatever they cost
  // One repair ends all of its findings: they are one, at the line that called all of these kernels.
  bool has_one_repair = false;
  // One repair ends all of its findings about one function of the author's, whatever its lines call.
  bool is_of_functions = false;
  // About what calls do, of which kernels are parts, even if there is one only.
  bool is_of_calls = false;
  // Its repair changes how the program is built: where it saves less than what is severe, it stands aside.
  bool rebuilds = false;
  // Of the time line: the line at fault is the one whose copies are waited for most often; else the one whose
  // copies take longest.
  bool of_waits = false;
  // Of the time line: the line at fault is the one that launches most.
  bool of_launches = false;
  // Of the time line: the line at fault is the one that waits most.
  bool of_plain_waits = false;
  std::string_view subject = {};  // of the time line: "round trips", what the line at fault causes
  // Where this rule and that one name one line, they are one finding with both costs: one repair ends two
  // losses that do not overlap.
  std::string_view added_to = {};
  // `price_error` is a share of the loss instead: that is what was measured.
  bool is_loss_error = false;
};

template <class Subject>
struct Rule {
  RuleAbout about;
  // Looks once; below the limit at no more than the measure.
  Assessment (*assess)(const Subject&);
  // How much of it a source line is to blame for, std::nullopt: nothing; nullptr: the rule knows no lines.
  std::optional<double> (*blame)(const LineRow&);
  // Of managed memory: all allocations of one place are judged as one. What one call asked for over and over
  // is fetched for one reason, and repaired in one place.
  bool sums_places = false;
};

}  // namespace coalescope::analysis
