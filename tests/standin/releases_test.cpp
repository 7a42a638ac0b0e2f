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
    unsetenv("LD_LIBRARY_PATH");
    fs::remove_all(folder_);
  }
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

}  // namespace
}  // namespace standin
