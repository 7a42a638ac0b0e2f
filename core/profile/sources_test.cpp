#include "core/profile/sources.h"

#include <cstdlib>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/profile/json.h"

namespace coalescope::profile {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

MachineProfile full_profile() {
  MachineProfile profile;
  profile.gpu_uuid = "GPU-00000000-1111-2222-3333-444444444444";
  profile.gpu_name = "A GPU";
  profile.driver_version = 13000;
  profile.tool_version = "1.2";
  profile.recorded_unix_ns = 1'700'000'000'000'000'000;
  profile.provenance = "a test";
  profile.figures["launch_ns"] = {4100.5, "ns", 12.25};
  profile.figures["copy_fixed_ns"] = {2490, "ns", {}};
  profile.curves["copy_host_to_device_pinned"] = {"GB/s", "bytes", true, {{4096, 1.5, 0.1}, {65536, 20, {}}}};
  return profile;
}

class ProfileFolder : public testing::Test {
 protected:
  void SetUp() override { fs::remove_all(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_ =
      fs::path(testing::TempDir()) /
      ("profiles_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
};

TEST(ProfileJson, NothingIsLost) {
  const MachineProfile before = full_profile();
  const auto after = from_json(to_json(before), "a test");
  ASSERT_TRUE(after.has_value()) << after.error().text();
  EXPECT_EQ(to_json(*after), to_json(before));
  EXPECT_EQ(after->recorded_unix_ns, before.recorded_unix_ns);
  EXPECT_EQ(after->figures.at("launch_ns").spread, 12.25);
  EXPECT_EQ(after->figures.at("copy_fixed_ns").spread, std::nullopt);
  EXPECT_EQ(after->curves.at("copy_host_to_device_pinned").points.at(0).spread, 0.1);
  EXPECT_TRUE(after->curves.at("copy_host_to_device_pinned").logarithmic);
}

TEST(ProfileJson, WhatIsNoProfileIsRefusedByName) {
  for (const char* text : {"", "[]", "{}", R"({"coalescope_profile": 1})",
                           R"({"coalescope_profile": 1, "gpu_name": 3, "figures": {}, "curves": {}})",
                           R"({"coalescope_profile": "one"})"}) {
    const auto profile = from_json(text, "x.json");
    ASSERT_FALSE(profile.has_value()) << text;
    EXPECT_THAT(profile.error().message, HasSubstr("x.json"));
  }
  EXPECT_EQ(from_json(R"({"coalescope_profile": 99})", "x").error().code, base::ErrorCode::newer_schema);
}

TEST_F(ProfileFolder, AStoredProfileIsFoundByItsUuid) {
  const auto path = store(full_profile(), folder_);
  ASSERT_TRUE(path.has_value()) << path.error().text();
  const auto found = stored(full_profile().gpu_uuid, folder_);
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->origin, Origin::stored);
  EXPECT_EQ(to_json(**found), to_json(full_profile()));
  EXPECT_FALSE(stored("GPU-other", folder_)->has_value());
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1) << "no draft stays";
}

TEST_F(ProfileFolder, AUuidThatLeadsElsewhereIsNoFileName) {
  MachineProfile profile = full_profile();
  profile.gpu_uuid = "../elsewhere";
  EXPECT_FALSE(store(profile, folder_).has_value());
  EXPECT_FALSE(stored("../elsewhere", folder_)->has_value());
}

TEST_F(ProfileFolder, AnUnreadableProfileIsAnErrorAndThenIgnored) {
  fs::create_directories(folder_);
  std::ofstream(folder_ / "GPU-1.json") << "{";
  EXPECT_FALSE(stored("GPU-1", folder_).has_value());
  model::Device device;
  device.uuid = "GPU-1";
  EXPECT_TRUE(profiles_for(device, derive({}), folder_).empty());
}

TEST_F(ProfileFolder, ThisCaptureComesBeforeTheFolderAndThatBeforeTheProduct) {
  MachineProfile own = full_profile();
  own.gpu_name = "NVIDIA H100 80GB HBM3";
  ASSERT_TRUE(store(own, folder_).has_value());
  model::Device device;
  device.uuid = own.gpu_uuid;
  device.name = own.gpu_name;
  model::Calibration row;
  row.case_id = "sequential_copy";
  row.quantity = "bandwidth_gb_s";
  row.measured = 2000;
  const auto profiles = profiles_for(device, derive({&row, 1}), folder_);
  ASSERT_EQ(profiles.size(), 3U);
  EXPECT_EQ(profiles[0].origin, Origin::capture);
  EXPECT_EQ(profiles[1].origin, Origin::stored);
  EXPECT_EQ(profiles[2].origin, Origin::shipped);
  EXPECT_EQ(find_figure(profiles, figure::kDramCopy)->value, 2000);
  EXPECT_EQ(profiles_for(device, derive({}), std::nullopt).size(), 1U);
}

TEST(United, TheFreshFiguresCountAndTheOldOnesStay) {
  MachineProfile fresh;
  fresh.figures["launch_ns"] = {1, "ns", {}};
  const MachineProfile both = united(fresh, full_profile());
  EXPECT_EQ(both.figures.at("launch_ns").value, 1);
  EXPECT_EQ(both.figures.at("copy_fixed_ns").value, 2490);
  EXPECT_EQ(both.curves.size(), 1U);
}

TEST(ShippedProfiles, AreThereForTheirProductAlone) {
  const auto h100 = shipped("NVIDIA H100 80GB HBM3");
  ASSERT_TRUE(h100.has_value());
  EXPECT_FALSE(h100->provenance.empty());
  EXPECT_GT(h100->figures.at("dram_copy_gb_s").value, 0);
  EXPECT_FALSE(shipped("A GPU").has_value());
}

TEST(ProfileFolderPath, IsTheUsersDataFolder) {
  setenv("XDG_DATA_HOME", "/data", 1);
  EXPECT_EQ(profile_folder(), fs::path("/data/coalescope/profiles"));
  unsetenv("XDG_DATA_HOME");
  setenv("HOME", "/home/someone", 1);
  EXPECT_EQ(profile_folder(), fs::path("/home/someone/.local/share/coalescope/profiles"));
  unsetenv("HOME");
  EXPECT_EQ(profile_folder(), std::nullopt);
}

}  // namespace
}  // namespace coalescope::profile
