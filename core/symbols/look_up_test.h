#pragma once
// What the tests of look-ups share: programs that say where their calls lie, and what is known of these.

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <string>

#include "core/base/demangle.h"
#include "core/symbols/look_up.h"

namespace coalescope::symbols {

namespace fs = std::filesystem;
using Offsets = std::map<std::string, std::uint64_t>;

// For people: "ns::copy<3>"; empty where the function is unknown.
inline std::string function_name(const Frame& frame) {
  return frame.symbol ? base::kernel_label(*frame.symbol) : std::string();
}

inline std::string program(const std::string& variant) {
  return std::string(COALESCOPE_PLACES_PROGRAMS) + "/" + variant + "/program";
}

inline std::string output_of(const std::string& command) {
  std::string text;
  std::FILE* pipe = ::popen(command.c_str(), "r");
  EXPECT_NE(pipe, nullptr);
  for (int letter = 0; (letter = std::fgetc(pipe)) != EOF;) text += static_cast<char>(letter);
  EXPECT_EQ(::pclose(pipe), 0) << command;
  return text;
}

// Where its calls are, as the program says when it runs.
inline Offsets offsets_of(const std::string& path) {
  std::istringstream lines(output_of("'" + path + "'"));
  Offsets offsets;
  std::string what;
  for (std::uint64_t offset = 0; lines >> what >> std::hex >> offset;) offsets[what] = offset;
  EXPECT_EQ(offsets.size(), 4U);
  return offsets;
}

inline std::int64_t line_of(const std::string& mark) {
  std::ifstream source(std::string(COALESCOPE_SOURCE_DIR) + "/core/symbols/places_program.cpp");
  std::int64_t number = 0;
  for (std::string line; std::getline(source, line);) {
    ++number;
    if (line.ends_with("// mark: " + mark)) return number;
  }
  ADD_FAILURE() << mark;
  return 0;
}

class LookUpTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = fs::temp_directory_path() / "coalescope_symbols.XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(folder_); }

  Frames one(const std::string& path, std::uint64_t offset, const std::string& build_id = "") const {
    LookUpOptions options;
    options.debug_root = folder_ / "debug";
    return look_up({path, build_id}, std::array{offset}, options).frames.at(0);
  }
  static void run(const std::string& command) { EXPECT_EQ(std::system(command.c_str()), 0) << command; }

  // The program without debug information; that lies in FOLDER/kept.debug.
  std::string separated(const std::string& flags = "") const {
    const std::string path = folder_ / "program";
    const std::string kept = folder_ / "kept.debug";
    run("cd '" + folder_.string() + "' && objcopy --only-keep-debug '" + program("dwarf5") +
        "' kept.debug && objcopy --strip-debug " + flags + " '" + program("dwarf5") + "' program");
    return path;
  }
  void set_content(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }

  static void expect_line(const Frame& frame, const std::string& mark) {
    EXPECT_EQ(frame.file, std::string(COALESCOPE_SOURCE_DIR) + "/core/symbols/places_program.cpp") << mark;
    EXPECT_EQ(frame.line, line_of(mark)) << mark;
    EXPECT_GT(frame.column.value_or(0), 0) << mark;
  }
  static void expect_chain(const Frames& frames) {
    ASSERT_EQ(frames.size(), 3U);
    EXPECT_EQ(function_name(frames[0]), "places::(anonymous namespace)::innermost");
    EXPECT_EQ(function_name(frames[1]), "places::(anonymous namespace)::Middle::call");
    EXPECT_EQ(frames[2].symbol, "_ZN6places9outermostEv");
    EXPECT_EQ(function_name(frames[2]), "places::outermost");
    expect_line(frames[0], "innermost");
    expect_line(frames[1], "middle");
    expect_line(frames[2], "outermost");
    EXPECT_TRUE(frames[0].is_inlined && frames[1].is_inlined && !frames[2].is_inlined);
  }

  fs::path folder_;
};

}  // namespace coalescope::symbols
