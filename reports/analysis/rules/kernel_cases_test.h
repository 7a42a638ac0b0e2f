#pragma once
// Kernels for the tests of rules about them: they read and write as they should but for what a test changes.

#include <string>

#include "reports/analysis/rules/rule_cases_test.h"

namespace coalescope::analysis::test {

inline const Access kNone = access(0, 0, 0);
inline const Access kClean = access(kRequests, 128, 4);

inline KernelRow loading(const Access& load) {
  return kernel(load, kClean, 16'777'216, 11'000);
}
inline KernelRow storing(const Access& store) {
  return kernel(kClean, store, 16'777'216, 11'000);
}
inline bool fires(const Rule<KernelSubject>& rule, const KernelRow& row) {
  return finds(rule, KernelCase(row).subject());
}
inline bool quiet(const Rule<KernelSubject>& rule, const KernelRow& row) {
  return finds_nothing(rule, KernelCase(row).subject());
}
inline bool cannot(const Rule<KernelSubject>& rule, const KernelRow& row) {
  return cannot_judge(rule, KernelCase(row).subject());
}
inline std::string advice(const Rule<KernelSubject>& rule, const KernelRow& row,
                          const Machine& machine = {}) {
  return finding_of(rule, KernelCase(row, machine).subject()).advice;
}
// On a machine that is calibrated, so that it has a price.
inline bool fires_priced(const Rule<KernelSubject>& rule, const KernelRow& row) {
  return finds(rule, KernelCase(row, h100()).subject());
}
inline bool quiet_priced(const Rule<KernelSubject>& rule, const KernelRow& row) {
  return finds_nothing(rule, KernelCase(row, h100()).subject());
}
// DRAM brings a quarter more than was asked for.
inline KernelRow loading_beyond(const Access& load) {
  return kernel(load, kClean, 20'971'520, 11'000);
}

}  // namespace coalescope::analysis::test
