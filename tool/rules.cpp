#include "tool/rules.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "core/base/log.h"
#include "reports/analysis/rules/rules.h"
#include "reports/text/cells.h"
#include "tool/exit_status.h"
#include "tool/nearest.h"
#include "tool/output.h"

namespace coalescope::tool {

namespace {

using analysis::RuleAbout;
using base::Result;

constexpr std::size_t kIdWidth = 5;
constexpr std::size_t kMostTextWidth = 100;
constexpr int kRulesIndent = 2;

std::string threshold_text(const RuleAbout& rule) {
  std::string text = fmt::format("speaks from {:g} on", rule.limit);
  if (rule.unpriced_limit != rule.limit)
    text += fmt::format(", or from {:g} on where the cost is not known", rule.unpriced_limit);
  return text;
}

std::vector<std::string> words_of(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

}  // namespace

std::string rules_text(std::size_t width) {
  width = std::min(width, kMostTextWidth);
  std::vector<std::string> lines;
  for (const RuleAbout* rule : analysis::rule_catalogue()) {
    text::append_wrapped(lines, fmt::format("{}{}", rule->title, rule->note ? " (note)" : ""), width,
                         rule->id, kIdWidth);
    text::append_wrapped(lines, fmt::format("{}; {}", rule->measure, threshold_text(*rule)), width, "",
                         kIdWidth);
    text::append_wrapped(lines, fmt::format("reference kernels: {}", rule->families), width, "", kIdWidth);
  }
  lines.emplace_back();
  text::append_wrapped(
      lines,
      "A note costs no time that is known. 'coalescope explain RULE' shows symptom, cause and "
      "repair.",
      width, "", 0);
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

std::string rules_json() {
  nlohmann::ordered_json rules = nlohmann::ordered_json::array();
  for (const RuleAbout* rule : analysis::rule_catalogue())
    rules.push_back({{"id", rule->id},
                     {"title", rule->title},
                     {"families", words_of(rule->families)},
                     {"measure", rule->measure},
                     {"limit", rule->limit},
                     {"unpriced_limit", rule->unpriced_limit},
                     {"note", rule->note},
                     {"calibrated", rule->calibrated}});
  return rules.dump(kRulesIndent) + "\n";
}

Result<std::string> rule_named(const std::string& word) {
  std::string id = word;
  for (char& c : id) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  std::vector<std::string> ids;
  for (const RuleAbout* rule : analysis::rule_catalogue()) ids.emplace_back(rule->id);
  if (std::ranges::find(ids, id) != ids.end()) return id;
  const auto meant = nearest(id, ids);
  return base::failure(base::ErrorCode::usage, fmt::format("there is no rule '{}'", word),
                       meant ? fmt::format("did you mean '{}'? 'coalescope rules' lists all", *meant)
                             : "'coalescope rules' lists all");
}

int run(const RulesOptions& options) {
  const std::string text =
      options.json ? rules_json() : rules_text(static_cast<std::size_t>(text_options_for(stdout).width));
  const auto written = write_all(stdout, text, "to stdout");
  if (!written) base::log_error(written.error());
  return written ? kDone : kUsage;
}

}  // namespace coalescope::tool
