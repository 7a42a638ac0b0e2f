#pragma once
// How right the analyser is, by the twins that were recorded on a GPU: what it says of the faulty side,
// whether it leaves the repaired one alone, and how far its predicted gain is from the measured one.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "kernels/twins/twins.h"

namespace coalescope::accuracy {

// Where the captures and times.json lie.
std::filesystem::path fixtures();

// The largest "Est. Speedup" that Nsight Compute's rules on memory accesses give the same faulty side.
struct NsightEstimate {
  std::string rule, kind;
  double share = 0;
};

struct Outcome {
  const kernels::Twin* twin = nullptr;
  bool found = false;               // the rule spoke of the subject on the faulty side, more than as a note
  std::optional<bool> right_line;   // it named a line at fault; nullopt: it names none, or the pair has none
  std::vector<std::string> noise;   // findings, more than notes, where nothing is wrong: "clean: G01 kernel"
  std::optional<double> predicted;  // share of the computation's time that the repair would save
  double least = 0, most = 0;       // the range that goes with it
  std::optional<double> measured;   // 1 - time of the clean side / time of the faulty one, without a recorder
  std::optional<NsightEstimate> nsight;
  [[nodiscard]] std::optional<double> error() const;
};

// Pairs of which both sides were recorded, in the order of the table of twins.
std::vector<Outcome> outcomes();
// Twins that were not recorded.
std::vector<std::string> missing();

struct Summary {
  int pairs = 0, faults = 0, found = 0, alarms = 0, lines = 0, right_lines = 0;
  double precision = 0, recall = 0;
  std::optional<double> median_error, worst_error;
  int priced = 0, within = 0;  // faults with a price, and those of them that keep to its range
};
Summary summary_of(const std::vector<Outcome>& outcomes);

// docs/accuracy.md.
std::string page(const std::vector<Outcome>& outcomes);

}  // namespace coalescope::accuracy
