#pragma once
// Pairs of programs that compute the same with a fault and without it, and what is right to say of each side:
// the labels that the analyser is judged by. The code of both sides is in the files beside this one.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace coalescope::kernels {

enum class Side { fault, clean };
std::string_view name_of(Side side);
[[nodiscard]] base::Result<Side> side_named(std::string_view name);

enum class Verdict {
  fault,    // a finding must name `subject` on the faulty side, and none may name anything on the clean side
  harmless  // looks like a fault and costs nothing: a note at most, on either side
};
std::string_view name_of(Verdict verdict);

// The finest thing that a finding can name.
enum class Named { line, kernel, call };

struct Twin {
  std::string_view id;
  std::string_view family;  // of the textbooks: "A3"
  std::string_view rule;    // the one that must speak, or whose note may: "G01"
  Verdict verdict;
  Named named;
  std::string_view subject;   // the kernel, without its namespace, or the API call at fault
  std::string_view repaired;  // what stands in its place on the clean side; may be the same on other data
  std::string_view file;      // in kernels/twins/, with the code of both sides
  std::string_view title;
  bool replay = false;  // recorded with --replay kernel, without which the rule's counters are not read
};

std::span<const Twin> twins();
[[nodiscard]] base::Result<const Twin*> twin_named(std::string_view id);

// The kernel's name as base::kernel_label() writes it.
std::string label_of_twin_kernel(std::string_view kernel);

// The lines of the twin's file that end in "// fault: ID": those at fault. As they were when this was built.
std::vector<int> fault_lines(const Twin& twin);

// The same for any text. One line may carry the ids of several twins, with blanks between them.
std::vector<int> fault_lines(std::string_view source, std::string_view id);

}  // namespace coalescope::kernels
