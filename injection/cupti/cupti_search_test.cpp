#include "injection/cupti/cupti_search.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

namespace coalescope::cupti {
namespace {

using testing::ElementsAre;

CuptiClues clues(std::map<std::string, std::string> environment = {}) {
  CuptiClues made;
  made.environment = [environment = std::move(environment)](std::string_view name) {
    const auto found = environment.find(std::string(name));
    return found == environment.end() ? std::nullopt : std::optional<std::string>(found->second);
  };
  return made;
}

// Its place in the order; fails where it is not tried at all.
std::ptrdiff_t place(const CuptiClues& from, const std::string& path) {
  const auto all = cupti_candidates(from);
  const auto found = std::ranges::find(all, path, &CuptiCandidate::path);
  EXPECT_NE(found, all.end()) << path;
  return found - all.begin();
}

TEST(CuptiSearch, TheNewestThatTheDriverServesComesFirst) {
  CuptiClues from = clues();
  EXPECT_THAT(cupti_names(from), ElementsAre(kCupti13, kCupti12));
  from.driver_major = 12;
  EXPECT_THAT(cupti_names(from), ElementsAre(kCupti12, kCupti13));
}

TEST(CuptiSearch, TheOneOfTheProgramsRuntimeComesFirst) {
  CuptiClues from = clues();
  from.driver_major = 13;
  from.loaded = {"/usr/lib/libc.so.6", "/opt/cuda-12.8/lib64/libcudart.so.12"};
  EXPECT_THAT(cupti_names(from), ElementsAre(kCupti12, kCupti13));
  EXPECT_EQ(cupti_candidates(from).front().path, "/opt/cuda-12.8/lib64/libcupti.so.12");
  EXPECT_EQ(cupti_candidates(from).front().origin, "beside libcudart");
}

TEST(CuptiSearch, ARuntimeThatIsNewerThanTheDriverDoesNotChoose) {
  CuptiClues from = clues();
  from.driver_major = 12;
  from.loaded = {"/opt/cuda-13.0/lib64/libcudart.so.13"};
  EXPECT_THAT(cupti_names(from), ElementsAre(kCupti12, kCupti13));
  const auto all = cupti_candidates(from);
  EXPECT_TRUE(all.back().path.ends_with("13"));
  EXPECT_LT(place(from, "libcupti.so.12"), place(from, "/opt/cuda-13.0/lib64/libcupti.so.13"));
}

TEST(CuptiSearch, WheelsOfPythonComeBeforeToolkits) {
  CuptiClues from = clues();
  from.loaded = {"/venv/lib/python3.12/site-packages/torch/lib/libtorch_cuda.so"};
  const std::string packages = "/venv/lib/python3.12/site-packages";
  const auto toolkit = place(from, "/usr/local/cuda/lib64/libcupti.so.13");
  for (const char* inside : {"/nvidia/cu13/lib/libcupti.so.13", "/nvidia/cuda_cupti/lib/libcupti.so.12",
                             "/triton/backends/nvidia/lib/cupti/libcupti.so.12"})
    EXPECT_LT(place(from, packages + inside), toolkit) << inside;
}

// NVIDIA's wheels of CUDA 12 have a folder for each library.
TEST(CuptiSearch, TheRuntimesWheelLeadsToThatOfCupti) {
  CuptiClues from = clues();
  from.loaded = {"/venv/site-packages/nvidia/cuda_runtime/lib/libcudart.so.12"};
  EXPECT_LT(place(from, "/venv/site-packages/nvidia/cuda_runtime/lib/../../cuda_cupti/lib/libcupti.so.12"),
            place(from, "/venv/site-packages/nvidia/cuda_cupti/lib/libcupti.so.12"));
}

TEST(CuptiSearch, AFolderThatAPersonNamesComesBeforeAll) {
  CuptiClues from = clues({{"CUDA_HOME", "/home/me/cuda"}});
  from.folder = "/mine";
  from.loaded = {"/opt/lib64/libcudart.so.12"};
  EXPECT_EQ(cupti_candidates(from).front().path, "/mine/libcupti.so.12");
  EXPECT_LT(place(from, "/home/me/cuda/lib64/libcupti.so.13"),
            place(from, "/usr/local/cuda/lib64/libcupti.so.13"));
}

TEST(CuptiSearch, ToolkitsOfAnyReleaseAreTriedTheNewestFirst) {
  const CuptiClues from = clues();
  EXPECT_LT(place(from, "/usr/local/cuda-13.1/lib64/libcupti.so.13"),
            place(from, "/usr/local/cuda-13.0/lib64/libcupti.so.13"));
  EXPECT_LT(place(from, "/usr/local/cuda-13.0/lib64/libcupti.so.13"),
            place(from, "/usr/local/cuda-12.6/lib64/libcupti.so.12"));
  EXPECT_EQ(cupti_candidates(from).back().path, "libcupti.so.12");
}

TEST(CuptiSearch, ReleasesHaveNames) {
  EXPECT_EQ(cupti_release(kOldestCupti), "CUDA 12.6");
  EXPECT_EQ(cupti_release(25), "API version 25");
  EXPECT_EQ(cupti_release(28), "CUDA 12.9 Update 1");
  EXPECT_EQ(cupti_release(130000), "CUDA 13.0");
  EXPECT_EQ(cupti_release(130102), "CUDA 13.1 Update 2");
}

}  // namespace
}  // namespace coalescope::cupti
