#include "reports/junit/junit.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/clean.h"

namespace coalescope::junit {
namespace {

using gate::Outcome;
using gate::Severity;
using gate::Violation;

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : base::clean(text)) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  return out;
}

std::string test_case(const std::string& rule, const std::string& name, const std::string& content) {
  const std::string begin =
      fmt::format("    <testcase classname=\"coalescope.{}\" name=\"{}\"", escaped(rule), escaped(name));
  return content.empty() ? begin + "/>\n" : begin + ">\n      " + content + "\n    </testcase>\n";
}

std::string place_of(const Violation& violation) {
  return violation.file && violation.line ? fmt::format("{}:{}: ", *violation.file, *violation.line) : "";
}

// JUnit knows no warning: it is a test that passed, and has something to say.
std::string content_of(const Violation& violation) {
  const std::string message = escaped(violation.title + ": " + violation.message);
  if (violation.suppressed) return fmt::format("<skipped message=\"{}\"/>", escaped(*violation.suppressed));
  if (violation.severity == Severity::warn)
    return fmt::format("<system-out>warning: {}{}</system-out>", escaped(place_of(violation)), message);
  return fmt::format("<failure message=\"{}\">{}{}</failure>", message, escaped(place_of(violation)),
                     message);
}

bool was_judged(const gate::Result& result) {
  return result.outcome == Outcome::passed || result.outcome == Outcome::failed;
}

}  // namespace

std::string to_junit(const gate::Result& result) {
  const auto failures = std::ranges::count_if(result.violations, [](const Violation& each) {
    return !each.suppressed && each.severity == Severity::error;
  });
  const auto skipped = std::ranges::count_if(
      result.violations, [](const Violation& each) { return each.suppressed.has_value(); });
  const auto errors = was_judged(result) ? 0 : 1;
  std::string cases;
  if (errors > 0)
    cases += test_case("capture", result.capture_path,
                       fmt::format("<error message=\"{}\"/>", escaped(result.verdict)));
  for (const Violation& violation : result.violations)
    cases += test_case(violation.rule, violation.subject, content_of(violation));
  for (const auto& name : result.passed) cases += test_case("kernel", name, "");
  const std::string counts =
      fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"",
                  result.violations.size() + result.passed.size() + static_cast<std::size_t>(errors),
                  failures, errors, skipped);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {0}>\n  <testsuite name=\"coalescope: {1}\" "
      "{0}>\n{2}    <system-out>{3}</system-out>\n  </testsuite>\n</testsuites>\n",
      counts, escaped(result.capture_path), cases, escaped(result.verdict));
}

}  // namespace coalescope::junit
