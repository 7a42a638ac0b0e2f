// What nvcc makes of the patterns, read from PTX: exactly the loads, stores and atomics, of exactly the
// width, that the answers are computed from, and only the branches that are written. It does not see what
// ptxas does afterwards (it may reorder, and does not merge accesses of different threads); that is what
// `calibrate` is for.

#include <algorithm>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/demangle.h"
#include "kernels/answers/expected.h"

namespace coalescope::kernels {
namespace {

// How often each kind of access is written: "ld.global 4" is a load of 4 bytes by each thread. Conditional
// branches are "branch".
using Accesses = std::map<std::string, int>;

struct Code {
  Accesses accesses;
  std::vector<std::string> surprises;  // what no case should have
};

std::string kind_of(const std::string& access, const std::string& bits, const std::string& elements) {
  return access + " " + std::to_string((elements.empty() ? 1 : std::stoi(elements)) * std::stoi(bits) / 8);
}

// Cache policies and `volatile` change no count; the read-only path is told apart.
void read_instruction(Code& code, const std::string& line) {
  static const std::regex kAccess(
      R"(^\s*(ld|st)(?:\.volatile)?(\.(?:global|shared|local|const)(?:\.nc)?)(?:\.cg)?(?:\.v([248]))?\.[busf](\d+)\s)");
  static const std::regex kAtomic(R"(^\s*((?:atom|red)\.(?:global|shared))(?:\.\w+)*\.[busf](\d+)\s)");
  static const std::regex kAsyncCopy(R"(^\s*cp\.async\.c[ag]\.shared\.global\s.*\], (\d+))");
  static const std::regex kBranch(R"(^\s*@!?%p\d+ bra)");
  static const std::regex kHarmless(R"(^\s*(ld\.param\.|cp\.async\.(commit|wait)_group))");
  static const std::regex kSurprise(R"(^\s*(@|bra|call|atom|red|ld\.|st\.|cp\.))");
  std::smatch found;
  if (std::regex_search(line, found, kAccess))
    ++code.accesses[kind_of(found[1].str() + found[2].str(), found[4], found[3])];
  else if (std::regex_search(line, found, kAtomic))
    ++code.accesses[kind_of(found[1], found[2], "")];
  else if (std::regex_search(line, found, kAsyncCopy))
    ++code.accesses["cp.async " + found[1].str()];
  else if (std::regex_search(line, kBranch))
    ++code.accesses["branch"];
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

std::string bytes(const std::string& access, int count) {
  return access + " " + std::to_string(count);
}

const Accesses kCopy{{"ld.global 4", 1}, {"st.global 4", 1}};
const Accesses kGuarded{{"ld.global 4", 1}, {"st.global 4", 1}, {"branch", 1}};
const Accesses kTiled{{"ld.global 4", 4}, {"st.shared 4", 4}, {"ld.shared 4", 4}, {"st.global 4", 4}};
const Accesses kSharedReads{{"st.shared 4", 4}, {"ld.shared 4", 8}, {"st.global 4", 1}, {"branch", 1}};
const Accesses kUpdate{{"ld.global 4", 1}, {"atom.global 4", 1}};  // ptxas finds that no result is used

Accesses own_array(int words) {
  return {{"ld.global 4", words}, {"st.local 16", words / 4}, {"ld.local 4", words}, {"st.global 4", 1}};
}

// What cannot be told from the counts, by the case's function; n is its template argument.
const std::map<std::string, std::function<Accesses(int n)>> kWritten{
    {"array_of_structures",
     [](int n) {
       return Accesses{{n == 7 ? "ld.global 1" : "ld.global 4", n == 7 ? 7 : n / 4}, {"st.global 4", 1}};
     }},
    {"aligned_structures",
     [](int n) {
       return Accesses{{n == 7 ? "ld.global 8" : "ld.global 16", 1}, {"st.global 4", 1}};
     }},
    {"structure_of_arrays",
     [](int n) {
       return Accesses{{n == 7 ? "ld.global 1" : "ld.global 4", n == 7 ? 7 : n / 4}, {"st.global 4", 1}};
     }},
    {"unpitched_rows", [](int) { return kGuarded; }},
    {"pitched_rows", [](int) { return kGuarded; }},
    {"transpose_tiled", [](int) { return kTiled; }},
    {"transpose_padded", [](int) { return kTiled; }},
    {"scattered_read_only",
     [](int) {
       return Accesses{{"ld.global.nc 4", 2}, {"st.global 4", 1}};
     }},
    {"alternate_lanes", [](int) { return kGuarded; }},
    {"first_lanes", [](int) { return kGuarded; }},
    {"partial_block_copy", [](int) { return kCopy; }},
    {"guarded_copy", [](int) { return kGuarded; }},
    // Each pass through the loop has 8 reads.
    {"shared_stride", [](int) { return kSharedReads; }},
    {"shared_multicast", [](int) { return kSharedReads; }},
    {"shared_stride_wide",
     [](int) {
       return Accesses{{"st.shared 8", 4}, {"ld.shared 8", 8}, {"st.global 4", 1}, {"branch", 1}};
     }},
    {"constant_read",
     [](int) {
       return Accesses{{"ld.const 4", 8}, {"st.global 4", 1}, {"branch", 1}};
     }},
    {"corner_turned",
     [](int n) {
       const int columns = n < 32 ? 16 : 32;
       return Accesses{
           {"ld.global 4", columns}, {"st.shared 4", columns}, {"ld.shared 4", columns}, {"st.global 4", 1}};
     }},
    {"staged_through_registers",
     [](int n) {
       return Accesses{{bytes("ld.global", n), 8},
                       {bytes("st.shared", n), 8},
                       {bytes("ld.shared", n), 8},
                       {bytes("st.global", n), 8}};
     }},
    {"staged_asynchronously",
     [](int n) {
       return Accesses{{bytes("cp.async", n), 8}, {bytes("ld.shared", n), 8}, {bytes("st.global", n), 8}};
     }},
    // The compiler may store neighbouring words together: that changes the instructions, not the sectors.
    {"local_array", own_array},
    {"local_array_by_lane", own_array},
    {"reduction", [](int) { return kUpdate; }},
    {"reduction_spread", [](int) { return kUpdate; }},
    {"histogram_global", [](int) { return kUpdate; }},
    {"fetch_add",
     [](int) {
       return Accesses{{"atom.global 4", 1}, {"st.global 4", 1}};
     }},
    {"reduction_aggregated",
     [](int) {
       return Accesses{{"ld.global 4", 1}, {"atom.global 4", 1}, {"branch", 1}};
     }},
    {"histogram_privatised",
     [](int) {
       return Accesses{{"st.shared 4", 1},
                       {"ld.global 4", 1},
                       {"atom.shared 4", 1},
                       {"ld.shared 4", 1},
                       {"atom.global 4", 1}};
     }},
};

// Straight-line code of loads and stores of one width.
Accesses plain_accesses(const Case& one) {
  const std::int64_t warps = one.threads / 32;
  const std::int64_t load_requests = count_of(one, model::MetricId::global_load_requests);
  const std::int64_t store_requests = count_of(one, model::MetricId::global_store_requests);
  // In every such case the lanes of a warp store distinct elements.
  const auto width =
      static_cast<int>(count_of(one, model::MetricId::global_store_bytes) / store_requests / 32);
  Accesses accesses{{bytes("st.global", width), static_cast<int>(store_requests / warps)}};
  if (load_requests > 0) accesses[bytes("ld.global", width)] = static_cast<int>(load_requests / warps);
  return accesses;
}

Accesses written(const Case& one) {
  const std::size_t slash = one.id.find('/');
  const auto found = kWritten.find(one.id.substr(0, slash));
  if (found == kWritten.end()) return plain_accesses(one);
  return found->second(slash == std::string::npos ? 0 : std::stoi(one.id.substr(slash + 1)));
}

TEST(Codegen, EveryCaseHasItsAccessesAndNoOthers) {
  const std::map<std::string, Code> kernels = compiled_kernels();
  for (const Case& one : cases()) {
    if (one.kernel.empty()) continue;
    SCOPED_TRACE(one.kernel);
    const auto found = kernels.find(one.kernel);
    ASSERT_NE(found, kernels.end()) << "no such kernel was compiled";
    EXPECT_EQ(found->second.accesses, written(one));
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
