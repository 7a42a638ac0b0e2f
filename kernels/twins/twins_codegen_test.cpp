// That the compiler left the faults in, and put none into the repaired sides, read from PTX: each access is
// as wide as it is written, and of the memory that it is written for.

#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/demangle.h"
#include "kernels/twins/twins.h"

namespace coalescope::kernels {
namespace {

// How often each kind of access is written; "ld.global 4" is a load of 4 bytes.
using Accesses = std::map<std::string, int>;

void read_instruction(Accesses& accesses, const std::string& line) {
  static const std::regex kAccess(
      R"(^\s*(?:@!?%p\d+ )?(ld|st)(?:\.volatile)?(\.(?:global|shared|local|const))(?:\.nc)?(?:\.v([248]))?\.[busf](\d+)\s)");
  static const std::regex kAtomic(R"(^\s*(?:@!?%p\d+ )?((?:atom|red)\.(?:global|shared))[.\w]*\s)");
  static const std::regex kAsyncCopy(R"(^\s*cp\.async\.c[ag]\.shared\.global\s.*\], (\d+))");
  std::smatch found;
  if (std::regex_search(line, found, kAccess)) {
    const int elements = found[3].matched ? std::stoi(found[3]) : 1;
    ++accesses[found[1].str() + found[2].str() + " " + std::to_string(elements * std::stoi(found[4]) / 8)];
  } else if (std::regex_search(line, found, kAtomic)) {
    ++accesses[found[1]];
  } else if (std::regex_search(line, found, kAsyncCopy)) {
    ++accesses["cp.async " + found[1].str()];
  }
}

std::map<std::string, Accesses> compiled_kernels() {
  static const std::regex kEntry(R"(\.entry\s+(\w+)\()");
  const std::size_t name_begins = label_of_twin_kernel("").size();
  std::map<std::string, Accesses> kernels;
  std::istringstream paths(COALESCOPE_PTX_FILES);
  for (std::string path; std::getline(paths, path, ',');) {
    std::ifstream file(path);
    EXPECT_TRUE(file) << "cannot read " << path;
    Accesses* accesses = nullptr;
    std::smatch entry;
    for (std::string line; std::getline(file, line);)
      if (std::regex_search(line, entry, kEntry))
        accesses = &kernels[base::kernel_label(entry[1]).substr(name_begins)];
      else if (accesses != nullptr)
        read_instruction(*accesses, line);
  }
  return kernels;
}

struct Written {
  std::string kernel;
  Accesses accesses;
};

const Accesses kCopy{{"ld.global 4", 1}, {"st.global 4", 1}};
const Accesses kSixteen{{"ld.global 16", 1}, {"st.global 16", 1}};
const Accesses kTiled{{"ld.global 4", 4}, {"st.shared 4", 4}, {"ld.shared 4", 4}, {"st.global 4", 4}};
const Accesses kTurned{{"ld.global 4", 32}, {"st.shared 4", 32}, {"ld.shared 4", 32}, {"st.global 4", 1}};

// Loops that are unrolled in part have as many accesses as they are unrolled by.
Accesses walk(int words) {
  return {{"ld.global 4", words}, {"st.shared 4", words}, {"ld.shared 4", 8}, {"st.global 4", 1}};
}

const std::vector<Written> kWritten{
    {"copy_swapped", kCopy},
    {"copy_in_order", kCopy},
    {"copy_shifted", kCopy},
    {"gather_rows", kCopy},
    {"copy_panel", kCopy},
    {"copy_rows", kCopy},
    {"take_field", kCopy},
    {"take_field_array", kCopy},
    {"put_field", kCopy},
    {"put_field_array", kCopy},
    {"scale_across_blocks", kCopy},
    {"scale_in_order", kCopy},
    {"scale_chunks", {{"ld.global 4", 16}, {"st.global 4", 16}}},
    {"scale_interleaved", {{"ld.global 4", 16}, {"st.global 4", 16}}},
    {"scale_by_pointer", {{"ld.global 4", 2}, {"st.global 4", 1}}},
    {"scale_by_parameter", kCopy},
    {"evaluate_global", {{"ld.global 4", 65}, {"st.global 4", 1}}},
    {"weigh_by_constants", {{"ld.global 4", 1}, {"ld.const 4", 8}, {"st.global 4", 1}}},
    {"weigh_by_globals", {{"ld.global 4", 9}, {"st.global 4", 1}}},
    {"brighten_bytes", {{"ld.global 1", 1}, {"st.global 1", 1}}},
    {"brighten_vectors", kSixteen},
    {"halve_shorts", {{"ld.global 2", 1}, {"st.global 2", 1}}},
    {"halve_vectors", kSixteen},
    {"square_records", {{"ld.global 4", 3}, {"st.global 4", 1}}},
    {"square_arrays", {{"ld.global 4", 3}, {"st.global 4", 1}}},
    {"double_first_of_records", kCopy},
    {"double_array", kCopy},
    {"update_records", {{"ld.global 4", 6}, {"st.global 4", 1}}},
    {"update_arrays", {{"ld.global 4", 6}, {"st.global 4", 1}}},
    {"transpose_writing_columns", kCopy},
    {"transpose_reading_columns", kCopy},
    {"transpose_tiled<32>", kTiled},
    {"transpose_tiled<33>", kTiled},
    {"sum_rows_directly", {{"ld.global 4", 32}, {"st.global 4", 1}}},
    {"sum_rows_turned<32>", kTurned},
    {"sum_rows_turned<33>", kTurned},
    {"hash_words", kCopy},
    {"hash_every_second", kCopy},
    {"copy_guarded", kCopy},
    {"copy_whole", kCopy},
    {"walk_rows<2, 2>", walk(2)},
    {"walk_rows<2, 3>", walk(2)},
    {"walk_rows<8, 8>", walk(8)},
    {"walk_rows<8, 9>", walk(8)},
    {"walk_rows<32, 32>", walk(32)},
    {"walk_rows<32, 33>", walk(32)},
    {"walk_columns<32>", walk(16)},
    {"walk_columns<34>", walk(16)},
    {"double_through_shared",
     {{"ld.global 4", 1}, {"st.shared 4", 1}, {"ld.shared 4", 2}, {"st.global 4", 2}}},
    {"double_by_shuffles", {{"ld.global 4", 1}, {"st.global 4", 2}}},
    {"reverse_through_registers",
     {{"ld.global 16", 8}, {"st.shared 16", 8}, {"ld.shared 16", 8}, {"st.global 16", 8}}},
    {"reverse_asynchronously", {{"cp.async 16", 8}, {"ld.shared 16", 8}, {"st.global 16", 8}}},
    {"weigh_tiles_in_turn",
     {{"ld.global 16", 1}, {"st.shared 16", 1}, {"ld.shared 4", 32}, {"st.global 4", 1}}},
    {"weigh_tiles_ahead", {{"cp.async 16", 4}, {"ld.shared 4", 32}, {"st.global 4", 1}}},
    {"mix_in_registers", {{"ld.global 4", 64}, {"st.global 4", 1}}},
    {"mix_in_few_registers", {{"ld.global 4", 64}, {"st.global 4", 1}}},
    // ptxas makes a reduction of an atomic without a result.
    {"add_up_by_threads", {{"ld.global 4", 16}, {"atom.global", 1}}},
    {"count_in_global", {{"ld.global 4", 16}, {"atom.global", 16}}},
    {"count_in_blocks",
     {{"st.shared 4", 1}, {"ld.global 4", 16}, {"atom.shared", 16}, {"ld.shared 4", 1}, {"atom.global", 1}}},
    {"accumulate", {{"ld.global 4", 16}, {"atom.global", 16}}},
    {"accumulate_watched", {{"ld.global 4", 16}, {"atom.global", 16}, {"st.global 4", 16}}},
};

TEST(TwinsCodegen, KernelsHaveTheirAccessesAndNoOthers) {
  std::map<std::string, Accesses> kernels = compiled_kernels();
  for (const Written& written : kWritten) {
    SCOPED_TRACE(written.kernel);
    ASSERT_TRUE(kernels.contains(written.kernel)) << "no such kernel was compiled";
    EXPECT_EQ(kernels[written.kernel], written.accesses);
  }
}

TEST(TwinsCodegen, OnlyTheFaultySideKeepsItsArrayInLocalMemory) {
  std::map<std::string, Accesses> kernels = compiled_kernels();
  EXPECT_EQ(kernels["count_in_local"]["ld.local 4"], 4);
  EXPECT_EQ(kernels["count_in_local"]["st.local 4"], 4);
  for (const auto& [access, count] : kernels["count_in_shared"])
    EXPECT_EQ(access.find("local"), std::string::npos) << access;
}

TEST(TwinsCodegen, CoefficientsForAllComeFromConstantMemoryOnceRepaired) {
  std::map<std::string, Accesses> kernels = compiled_kernels();
  EXPECT_EQ(kernels["evaluate_constant"]["ld.global 4"], 1);
}

TEST(TwinsCodegen, EveryKernelOfTheTableWasCompiled) {
  const std::map<std::string, Accesses> kernels = compiled_kernels();
  for (const Twin& twin : twins()) {
    if (twin.named == Named::call) continue;
    EXPECT_TRUE(kernels.contains(std::string(twin.subject))) << twin.subject;
    EXPECT_TRUE(kernels.contains(std::string(twin.repaired))) << twin.repaired;
  }
}

}  // namespace
}  // namespace coalescope::kernels
