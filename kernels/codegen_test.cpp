// What nvcc makes of the patterns, read from PTX: straight-line code with exactly the loads and stores, of
// exactly the width, that the answers are computed from. It does not see what ptxas does afterwards (it may
// reorder, and does not merge accesses of different threads); that is what `calibrate` is for.

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/demangle.h"
#include "kernels/expected.h"

namespace coalescope::kernels {
namespace {

struct Code {
  std::vector<int> load_bytes, store_bytes;  // the width of each access of a thread
  std::vector<std::string> surprises;        // branches, predicates, accesses of another kind
};

int access_bytes(const std::smatch& access) {
  const int elements = access[2].matched ? std::stoi(access[2]) : 1;
  return elements * std::stoi(access[3]) / 8;
}

void read_instruction(Code& code, const std::string& line) {
  static const std::regex kGlobal(R"(^\s*(ld|st)\.global(?:\.nc|\.cg)?(?:\.v([24]))?\.[busf](\d+)\s)");
  static const std::regex kHarmless(R"(^\s*ld\.param\.)");
  static const std::regex kSurprise(R"(^\s*(@|bra|call|atom|red|ld\.|st\.|cp\.))");
  std::smatch access;
  if (std::regex_search(line, access, kGlobal))
    (access[1] == "ld" ? code.load_bytes : code.store_bytes).push_back(access_bytes(access));
  else if (std::regex_search(line, kSurprise) && !std::regex_search(line, kHarmless))
    code.surprises.push_back(line);
}

std::map<std::string, Code> compiled_kernels() {
  static const std::regex kEntry(R"(\.entry\s+(\w+)\()");
  std::map<std::string, Code> kernels;
  std::istringstream paths(COALESCOPE_PTX_FILES);
  for (std::string path; std::getline(paths, path, ',');) {
    std::ifstream file(path);
    EXPECT_TRUE(file) << "cannot read " << path;
    Code* code = nullptr;
    std::smatch entry;
    for (std::string line; std::getline(file, line);)
      if (std::regex_search(line, entry, kEntry))
        code = &kernels[base::kernel_label(entry[1])];
      else if (code != nullptr)
        read_instruction(*code, line);
  }
  return kernels;
}

std::int64_t count_of(const Case& one, model::MetricId metric) {
  for (const ExpectedCount& expected : one.counts)
    if (expected.metric == metric) return expected.count;
  return 0;
}

TEST(Codegen, EveryCaseIsStraightLineCodeWithItsLoadsAndStores) {
  const std::map<std::string, Code> kernels = compiled_kernels();
  for (const Case& one : cases()) {
    if (one.kernel.empty()) continue;
    SCOPED_TRACE(one.kernel);
    const auto found = kernels.find(one.kernel);
    ASSERT_NE(found, kernels.end()) << "no such kernel was compiled";
    const std::int64_t warps = one.threads / 32;
    const std::int64_t store_requests = count_of(one, model::MetricId::global_store_requests);
    const auto loads = static_cast<std::size_t>(count_of(one, model::MetricId::global_load_requests) / warps);
    const auto stores = static_cast<std::size_t>(store_requests / warps);
    // In every case the lanes of a warp store distinct elements.
    const auto width =
        static_cast<int>(count_of(one, model::MetricId::global_store_bytes) / store_requests / 32);
    EXPECT_EQ(found->second.load_bytes, std::vector<int>(loads, width));
    EXPECT_EQ(found->second.store_bytes, std::vector<int>(stores, width));
    EXPECT_EQ(found->second.surprises, std::vector<std::string>{});
  }
}

TEST(Codegen, NoKernelIsWithoutACase) {
  for (const auto& [kernel, code] : compiled_kernels()) {
    const bool known = std::ranges::any_of(cases(), [&](const Case& one) { return one.kernel == kernel; });
    EXPECT_TRUE(known) << kernel;
  }
}

}  // namespace
}  // namespace coalescope::kernels
