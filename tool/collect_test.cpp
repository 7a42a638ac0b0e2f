#include "tool/collect.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/capture/reader.h"
#include "core/capture/writer.h"
#include "tool/recording_mark.h"
#include "tool/recover.h"

namespace coalescope::tool {
namespace {

namespace fs = std::filesystem;
using model::Severity;
using testing::Contains;
using testing::Field;
using testing::Not;

// No process has this number: it is above the kernel's limit.
constexpr std::int64_t kDeadPid = 1 << 23;

class Collect : public testing::Test {
 protected:
  Collect() : folder_(fs::path(testing::TempDir()) / ("coalescope-collect-" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    run_.id = 1;
    run_.command = R"(["program"])";
    run_.started_unix_ns = 1'000;
    run_.duration_ns = 5;
    run_.exit_status = 3;
  }
  ~Collect() override { fs::remove_all(folder_); }

  void put_part(const std::string& stem, std::int64_t pid, std::optional<std::int64_t> ended_ns,
                const std::string& host = "") const {
    auto writer = capture::Writer::create((folder_ / (stem + ".part.coal")).string()).value();
    model::Process process;
    process.id.value = 1;
    process.pid = pid;
    process.executable = "/bin/" + stem;
    process.host = host;
    process.ended_ns = ended_ns;
    process.clean = ended_ns.has_value();
    ASSERT_TRUE(writer.insert(run_).has_value());
    ASSERT_TRUE(writer.insert(process).has_value());
    ASSERT_TRUE(writer.commit().has_value());
  }

  // Whose source lines were not looked up.
  void put_part_with_code() const {
    put_part("alone", kDeadPid, 5);
    auto writer = capture::Writer::open((folder_ / "alone.part.coal").string()).value();
    ASSERT_TRUE(writer.insert(model::Kernel{.id = {1}, .process_id = {1}, .name = "kernel"}));
    model::Instruction instruction;
    instruction.id = model::InstructionId{1};
    instruction.kernel_id = model::KernelId{1};
    instruction.module_crc = 7;
    ASSERT_TRUE(writer.insert(instruction));
    model::Module module;
    module.id = model::ModuleId{1};
    module.process_id = model::ProcessId{1};
    module.crc = 7;
    module.code.emplace(4, std::byte{1});
    ASSERT_TRUE(writer.insert(module));
    ASSERT_TRUE(writer.commit());
  }

  Collected collect_all() { return collect(folder_, draft(), run_).value(); }
  std::string draft() const { return (folder_ / "capture.coal").string(); }

  template <class Row>
  std::vector<Row> rows() const {
    return capture::Reader::open(draft()).value().rows<Row>().value();
  }
  static auto with_code(const std::string& code) { return Contains(Field(&model::Diagnostic::code, code)); }

  fs::path folder_;
  model::Capture run_;
};

TEST_F(Collect, NamesTheObstacleThatAPersonCanRemove) {
  put_part("alone", kDeadPid, 5);
  EXPECT_EQ(collect_all().obstacle, "");
  auto writer = capture::Writer::open((folder_ / "alone.part.coal").string()).value();
  model::Diagnostic row;
  row.id = 1;
  row.origin = "bytes";
  row.code = "phase_off";
  row.text = "Phase bytes is switched off: this user may not.";
  ASSERT_TRUE(writer.insert(row));
  ASSERT_TRUE(writer.commit());
  fs::remove(draft());
  EXPECT_EQ(collect_all().obstacle, "");  // for another reason than a permission
  row.id = 2;
  row.origin = "cupti";
  row.code = "not_started";
  row.text = "This process was not recorded: no CUPTI.";
  ASSERT_TRUE(writer.insert(row));
  ASSERT_TRUE(writer.commit());
  fs::remove(draft());
  EXPECT_EQ(collect_all().obstacle, row.text);
}

TEST_F(Collect, LeavesOutCodeThatWaitsForItsLinesWhereItMustNotBeCarried) {
  put_part_with_code();
  collect_all();
  EXPECT_TRUE(rows<model::Module>().front().code);
  const auto remarks = rows<model::Diagnostic>();
  const auto unresolved = std::ranges::find(remarks, "unresolved", &model::Diagnostic::code);
  ASSERT_NE(unresolved, remarks.end());
  EXPECT_THAT(unresolved->text, testing::StartsWith("Source lines of process "));
  fs::remove(draft());
  ASSERT_TRUE(collect(folder_, draft(), run_, {}, {.code = false}));
  EXPECT_FALSE(rows<model::Module>().front().code);
  EXPECT_THAT(rows<model::Diagnostic>(), with_code("code_left_out"));
  EXPECT_THAT(rows<model::Diagnostic>(), Not(with_code("unresolved")));
}

TEST_F(Collect, ARecoveredCaptureCarriesNoCodeEitherWhereNoneWasWanted) {
  const fs::path left = folder_ / ".x.coal.parts-abcdef";
  fs::create_directories(left);
  for (const bool keeps_code : {true, false}) {
    put_part_with_code();
    fs::rename(folder_ / "alone.part.coal", left / "alone.part.coal");
    ASSERT_TRUE(RecordingMark::leave(left, run_, keeps_code));
    ASSERT_EQ(run(RecoverOptions{.folder = left, .output = draft()}), 0);
    EXPECT_EQ(rows<model::Module>().front().code.has_value(), keeps_code);
    fs::remove(draft());
    fs::create_directories(left);
  }
}

TEST_F(Collect, SaysThatAProgramUsedNoCuda) {
  const Collected collected = collect_all();
  EXPECT_EQ(collected.processes, 0);
  EXPECT_EQ(collected.worst, Severity::info);
  EXPECT_THAT(rows<model::Diagnostic>(), with_code("no_cuda"));
  const model::Capture row = rows<model::Capture>().front();
  EXPECT_TRUE(row.clean);
  EXPECT_EQ(row.exit_status, 3);
  EXPECT_EQ(row.duration_ns, 5);
}

TEST_F(Collect, BringsAllProcessesIntoOnePlainFile) {
  put_part("first", kDeadPid, 7);
  put_part("second", kDeadPid + 1, 8);
  const Collected collected = collect_all();
  EXPECT_EQ(collected.processes, 2);
  EXPECT_TRUE(fs::exists(folder_ / "first.part.coal")) << "until the capture has its name";
  remove_parts(collected);
  EXPECT_EQ(rows<model::Process>().size(), 2U);
  EXPECT_EQ(rows<model::Capture>().size(), 1U);
  EXPECT_THAT(rows<model::Diagnostic>(), Not(with_code("no_cuda")));
  std::vector<std::string> left;
  for (const auto& entry : fs::directory_iterator(folder_)) left.push_back(entry.path().filename());
  EXPECT_THAT(left, testing::ElementsAre("capture.coal"));
}

TEST_F(Collect, CountsAKilledProcessAsLoss) {
  put_part("killed", kDeadPid, std::nullopt);
  EXPECT_EQ(collect_all().worst, Severity::data_loss);
  EXPECT_THAT(rows<model::Diagnostic>(), with_code("no_orderly_end"));
  EXPECT_FALSE(rows<model::Capture>().front().clean);
}

TEST_F(Collect, TellsAProcessThatRunsOnFromOneThatWasKilled) {
  put_part("daemon", ::getpid(), std::nullopt);
  collect_all();
  EXPECT_THAT(rows<model::Diagnostic>(), with_code("still_running"));
}

TEST_F(Collect, KeepsAndNamesAPartThatItCannotRead) {
  put_part("good", kDeadPid, 7);
  const fs::path bad = folder_ / "bad.part.coal";
  std::ofstream(bad) << "this is no capture";
  const Collected collected = collect_all();
  remove_parts(collected);
  EXPECT_TRUE(collected.parts_left);
  EXPECT_EQ(collected.processes, 1);
  EXPECT_EQ(collected.worst, Severity::error);
  EXPECT_TRUE(fs::exists(bad));
  EXPECT_THAT(rows<model::Diagnostic>(),
              Contains(Field(&model::Diagnostic::text, testing::HasSubstr(bad.string()))));
}

TEST_F(Collect, DoesNotLookHereForAProcessOfAnotherHost) {
  put_part("remote", ::getpid(), std::nullopt, "another-host");
  collect_all();
  EXPECT_THAT(rows<model::Diagnostic>(), with_code("no_orderly_end"));
  EXPECT_THAT(rows<model::Diagnostic>(), Not(with_code("still_running")));
}

TEST_F(Collect, MarksTheProcessesOfLaterRuns) {
  put_part("first", kDeadPid, 7);
  fs::create_directory(run_folder(folder_, 1));
  put_part("run-1/again", kDeadPid, std::nullopt);
  const Collected collected = collect_all();
  remove_parts(collected);
  EXPECT_EQ(collected.processes, 1);
  EXPECT_EQ(collected.worst, Severity::data_loss);
  auto reader = capture::Reader::open(draft()).value();
  EXPECT_EQ(reader.runs().runs, 2);
  EXPECT_EQ(reader.rows<model::Process>().value().size(), 1U);
  EXPECT_THAT(rows<model::Diagnostic>(),
              Contains(Field(&model::Diagnostic::text, testing::HasSubstr("again, run 2) ended without"))));
  EXPECT_FALSE(fs::exists(run_folder(folder_, 1) / "again.part.coal"));
}

}  // namespace
}  // namespace coalescope::tool
