#pragma once
// For the tests of rules: whether a rule finds something, nothing, or cannot judge.

#include <vector>

#include "reports/analysis/rule.h"
#include "reports/analysis/sample_rows_test.h"

namespace coalescope::analysis::test {

template <class Subject>
bool finds(const Rule<Subject>& rule, const Subject& subject) {
  const Measure value = rule.measure(subject);
  return value.value && *value.value >= rule.about.limit;
}

template <class Subject>
bool finds_nothing(const Rule<Subject>& rule, const Subject& subject) {
  const Measure value = rule.measure(subject);
  return value.value && *value.value < rule.about.limit;
}

// It says why, too.
template <class Subject>
bool cannot_judge(const Rule<Subject>& rule, const Subject& subject) {
  const Measure value = rule.measure(subject);
  return !value.value && !value.why_not.empty();
}

// A kernel with its lines, on a machine of which nothing is known.
struct KernelCase {
  KernelRow row;
  std::vector<LineRow> lines;
  Machine machine;
  model::Device device;

  KernelCase(KernelRow kernel, std::vector<LineRow> its_lines = {})
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
