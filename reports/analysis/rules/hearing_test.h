#pragma once
// For the tests of rules: whether a rule speaks, keeps quiet, or cannot judge.

#include <vector>

#include "reports/analysis/rule.h"
#include "reports/analysis/sample_rows_test.h"

namespace coalescope::analysis::test {

template <class Subject>
bool speaks(const Rule<Subject>& rule, const Subject& subject) {
  const Judged value = rule.measure(subject);
  return value.value && *value.value >= rule.about.limit;
}

template <class Subject>
bool silent(const Rule<Subject>& rule, const Subject& subject) {
  const Judged value = rule.measure(subject);
  return value.value && *value.value < rule.about.limit;
}

// It says why, too.
template <class Subject>
bool unjudged(const Rule<Subject>& rule, const Subject& subject) {
  const Judged value = rule.measure(subject);
  return !value.value && !value.why_not.empty();
}

// A kernel with its lines, on a machine of which nothing is known.
struct Hearing {
  KernelRow row;
  std::vector<LineRow> lines;
  Machine machine;
  model::Device device;

  Hearing(KernelRow kernel, std::vector<LineRow> its_lines = {})
      : row(std::move(kernel)), lines(std::move(its_lines)) {}

  [[nodiscard]] KernelSubject subject() const {
    pointers_.clear();
    for (const auto& line : lines) pointers_.push_back(&line);
    return {row, machine, pointers_, {}, &device};
  }

 private:
  mutable std::vector<const LineRow*> pointers_;
};

}  // namespace coalescope::analysis::test
