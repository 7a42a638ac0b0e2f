#pragma once
// For tests of what the writer thread puts into a recording: a file of a process, and its rows.

#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "core/capture/reader.h"
#include "core/ring/served_test.h"
#include "injection/recorder/part_file.h"

namespace coalescope::recorder {

class NoBackend final : public Backend {
 public:
  std::int64_t now_ns() override { return 0; }
  std::int64_t stream_id(const LaunchInfo&) override { return 0; }
  PhaseProbe* probe(model::Phase) override { return nullptr; }
  base::Result<model::Device> describe_device(std::int32_t) override { return model::Device{}; }
  void decode(const ActivityBuffer&, TraceSink&) override {}
  void flush() override {}
};

class PartFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = std::filesystem::temp_directory_path() / "coalescope_part.XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    served_ = std::make_unique<ring::Served>(folder_);
    process_.id = model::ProcessId{1};
    process_.pid = 42;
    channel_ = served_->open(part_name(process_));
    auto file = PartFile::create(options_, process_, channel_->ring(), groups_, sites_, copies_, backend_,
                                 diagnostics_);
    ASSERT_TRUE(file) << file.error().text();
    file_ = std::move(*file);
  }
  // The server may still write into the folder until it is gone.
  void TearDown() override {
    file_.reset();
    channel_.reset();
    served_.reset();
    std::filesystem::remove_all(folder_);
  }

  // What has been written so far.
  template <class Row>
  std::vector<Row> written() {
    file_->commit();
    served_->wait();
    auto reader = capture::Reader::open(folder_ + "/" + part_name(process_) + ".part.coal");
    EXPECT_TRUE(reader) << reader.error().text();
    auto found = reader->rows<Row>();
    EXPECT_TRUE(found) << found.error().text();
    return std::move(*found);
  }

  std::string folder_;
  std::unique_ptr<ring::Served> served_;
  std::unique_ptr<ring::Channel> channel_;
  RecorderOptions options_;
  model::Process process_;
  NoBackend backend_;
  Diagnostics diagnostics_;
  GroupTable groups_{[](const model::Kernel&) {}, [](const model::KernelGroup&) {},
                     [](std::string_view) { return model::CoverageReason::measured; }};
  LaunchSites sites_;
  CopyCounts copies_{groups_.host_memory()};
  std::unique_ptr<PartFile> file_;
};

}  // namespace coalescope::recorder
