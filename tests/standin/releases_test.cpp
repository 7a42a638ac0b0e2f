// One recorder for CUPTI of CUDA 12 and 13, wherever a program has it.

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/standin/harness_test.h"

namespace standin {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOneKernel = R"(
kernel a {
  load pc=16 instruction_loads=100 file=/src/a.cu line=7
}
copy to_device bytes=4096
launch a times=40
)";

class Releases : public testing::Test {
 protected:
  Releases() : folder_(fs::temp_directory_path() / ("releases-" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
    const char* other = std::getenv("STANDIN_FOLDER");
    built_ = other == nullptr ? STANDIN_BUILT : other;
  }
  ~Releases() override {
    unsetenv("STANDIN_CUPTI");
    for (const char* name : {"LD_LIBRARY_PATH", "LD_PRELOAD", "CUDA_HOME", "HIDE_CUPTI_FILES"})
      unsetenv(name);
    fs::remove_all(folder_);
  }
  // Preloaded into the tool, too, which a sanitizer's library does not let start.
  static bool is_sanitized() { return std::getenv("STANDIN_FOLDER") != nullptr; }

  // As a package or toolkit has it: with the host library beside it.
  void install(const std::string& library, const fs::path& place) const {
    fs::create_directories(place);
    fs::copy_file(fs::canonical(built_ / library), place / fs::path(library).filename());
    fs::copy_file(fs::canonical(built_ / "libnvperf_host.so"), place / "libnvperf_host.so");
  }
  static Recorded recorded_with(const fs::path& cupti) {
    auto recorded = record(kOneKernel);
    expect_exact(recorded);
    expect_all_phases(recorded, "a");
    EXPECT_EQ(recorded.rows.processes.size(), 1U);
    if (recorded.rows.processes.empty()) return recorded;
    EXPECT_EQ(recorded.rows.processes[0].cupti_path, cupti.string());
    EXPECT_EQ(recorded.rows.transfers.size(), 1U);
    return recorded;
  }

  fs::path folder_, built_;
};

TEST_F(Releases, TheCuptiOfCuda12RecordsAsThatOf13) {
  setenv("LD_LIBRARY_PATH", built_.c_str(), 1);  // libcupti needs libcuda, once the program has ended, too
  install("cuda12/libcupti.so.12", folder_);
  setenv("STANDIN_CUPTI", folder_.c_str(), 1);
  const auto recorded = recorded_with(folder_ / "libcupti.so.12");
  EXPECT_EQ(recorded.rows.processes[0].cupti_version, 26);
}

// A machine without a toolkit: a library that the program has loaded lies in site-packages, and CUPTI there,
// too. The lines are looked up with it once the program has ended.
TEST_F(Releases, PackagesOfPythonAreEnough) {
  const fs::path packages = folder_ / "lib/python3.12/site-packages";
  fs::create_directories(packages / "torch/lib");
  fs::copy_file(fs::canonical(built_ / "libcuda.so.1"), packages / "torch/lib/libcuda.so.1");
  setenv("LD_LIBRARY_PATH", (packages / "torch/lib").c_str(), 1);
  setenv("STANDIN_CUPTI", "", 1);
  install("cuda12/libcupti.so.12", packages / "triton/backends/nvidia/lib/cupti");
  auto recorded = recorded_with(packages / "triton/backends/nvidia/lib/cupti/libcupti.so.12");
  ASSERT_FALSE(recorded.rows.instructions.empty());
  EXPECT_EQ(recorded.rows.instructions[0].file, "/src/a.cu");
  EXPECT_EQ(recorded.rows.instructions[0].line, 7);
  // NVIDIA's own package comes before that of another project.
  install("cuda12/libcupti.so.12", packages / "nvidia/cuda_cupti/lib");
  recorded_with(packages / "nvidia/cuda_cupti/lib/libcupti.so.12");
}

// Its own calls go there, and no other copy sees them.
TEST_F(Releases, TheOneThatTheProgramHasLoadedComesFirst) {
  if (is_sanitized()) GTEST_SKIP() << "libraries are preloaded";
  setenv("LD_LIBRARY_PATH", built_.c_str(), 1);
  install("cuda12/libcupti.so.12", folder_ / "loaded");
  install("libcupti.so.13", folder_ / "named");
  setenv("STANDIN_CUPTI", (folder_ / "named").c_str(), 1);
  setenv("LD_PRELOAD", (folder_ / "loaded/libcupti.so.12").c_str(), 1);
  recorded_with(folder_ / "loaded/libcupti.so.12");
}

TEST_F(Releases, TheOneBesideTheProgramsRuntimeComesBeforeToolkits) {
  if (is_sanitized()) GTEST_SKIP() << "libraries are preloaded";
  setenv("LD_LIBRARY_PATH", built_.c_str(), 1);
  setenv("STANDIN_CUPTI", "", 1);
  install("libcupti.so.13", folder_ / "toolkit/lib64");
  setenv("CUDA_HOME", (folder_ / "toolkit").c_str(), 1);
  const fs::path runtime = folder_ / "app/lib/libcudart.so.12";
  install("cuda12/libcupti.so.12", runtime.parent_path());
  fs::copy_file(fs::canonical(built_ / "libstandin_replacement.so"), runtime);
  setenv("LD_PRELOAD", runtime.c_str(), 1);
  recorded_with(runtime.parent_path() / "libcupti.so.12");
}

TEST_F(Releases, AToolkitThatIsNamedComesBeforeThoseOfTheSystem) {
  setenv("LD_LIBRARY_PATH", built_.c_str(), 1);
  setenv("STANDIN_CUPTI", "", 1);
  install("libcupti.so.13", folder_ / "extras/CUPTI/lib64");
  setenv("CUDA_HOME", folder_.c_str(), 1);
  recorded_with(folder_ / "extras/CUPTI/lib64/libcupti.so.13");
}

// Files that are named by their folders are hidden: this machine may have a toolkit.
TEST_F(Releases, WhatTheLoaderFindsIsTheLast) {
  if (is_sanitized()) GTEST_SKIP() << "libraries are preloaded";
  setenv("LD_LIBRARY_PATH", built_.c_str(), 1);
  setenv("STANDIN_CUPTI", "", 1);
  setenv("HIDE_CUPTI_FILES", "1", 1);
  setenv("LD_PRELOAD", STANDIN_HIDES_CUPTI, 1);
  recorded_with(built_ / "libcupti.so.13");
}

}  // namespace
}  // namespace standin
