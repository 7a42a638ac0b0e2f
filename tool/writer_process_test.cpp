#include "tool/writer_process.h"

#include <csignal>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "core/capture/captures_test.h"
#include "core/capture/reader.h"
#include "core/ring/channel.h"
#include "core/ring/row_writer.h"

namespace coalescope::tool {
namespace {

using namespace std::chrono_literals;

void send_one(ring::Channel& channel) {
  ring::RowWriter rows(channel.ring());
  ASSERT_TRUE(rows.insert(model::Process{.id = {1}, .pid = 42}));
  ASSERT_TRUE(rows.publish());
}

std::size_t processes_in(const std::string& path) {
  auto reader = capture::Reader::open(path);
  return reader ? reader->rows<model::Process>().value().size() : 0;
}

TEST(WriterProcess, WritesWhatWasSentBeforeItIsStopped) {
  const capture::TemporaryFolder folder;
  auto writer = WriterProcess::start(folder.path()).value();
  const auto channel = ring::Channel::open(writer.ring(), "p").value();
  send_one(*channel);
  EXPECT_TRUE(writer.stop().empty());
  EXPECT_EQ(processes_in(folder.file("p.part.coal")), 1U);
  EXPECT_TRUE(writer.stop().empty()) << "twice";
}

TEST(WriterProcess, NoSignalReachesIt) {
  const capture::TemporaryFolder folder;
  auto writer = WriterProcess::start(folder.path()).value();
  const auto channel = ring::Channel::open(writer.ring(), "p").value();
  for (int signal = 1; signal < NSIG; ++signal)
    if (signal != SIGKILL && signal != SIGSTOP) ::kill(writer.process(), signal);
  send_one(*channel);
  EXPECT_TRUE(writer.stop().empty());
  EXPECT_EQ(processes_in(folder.file("p.part.coal")), 1U);
}

TEST(WriterProcess, HoldsNoneOfTheCallersFiles) {
  const capture::TemporaryFolder folder;
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  auto writer = WriterProcess::start(folder.path()).value();
  ::close(pipe[1]);
  char end = 0;
  EXPECT_EQ(::read(pipe[0], &end, 1), 0) << "the pipe's end is ours alone";
  ::close(pipe[0]);
  EXPECT_EQ(::getsid(writer.process()), writer.process());
}

TEST(WriterProcess, WhenKilledItCostsTheRecordingAlone) {
  const capture::TemporaryFolder folder;
  auto writer = WriterProcess::start(folder.path()).value();
  const auto channel = ring::Channel::open(writer.ring(), "p").value();
  send_one(*channel);
  std::this_thread::sleep_for(600ms);
  ::kill(writer.process(), SIGKILL);
  siginfo_t info{};
  ::waitid(P_PID, static_cast<id_t>(writer.process()), &info, WEXITED | WNOWAIT);
  const auto began = std::chrono::steady_clock::now();
  EXPECT_FALSE(channel->ring().push(ring::FrameKind::rows, {}, 1h));
  EXPECT_FALSE(ring::Channel::open(writer.ring(), "q"));
  EXPECT_LT(std::chrono::steady_clock::now() - began, 10s);
  const auto remarks = writer.stop();
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_EQ(remarks.front().code, kWriterEnded);
  EXPECT_NE(remarks.front().text.find("signal 9"), std::string::npos);
  EXPECT_EQ(processes_in(folder.file("p.part.coal")), 1U) << "what was committed is there";
}

// `record` itself may be killed: then there is nobody to stop it.
TEST(WriterProcess, WithoutRecordItStaysForThoseThatItServes) {
  const capture::TemporaryFolder folder;
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  const pid_t record = ::fork();
  if (record == 0) {
    auto writer = WriterProcess::start(folder.path()).value();
    const std::string name = writer.ring() + ' ' + std::to_string(writer.process()) + '\0';
    if (::write(pipe[1], name.data(), name.size()) < 0) ::_exit(1);
    ::pause();
  }
  std::array<char, 200> told{};
  ASSERT_GT(::read(pipe[0], told.data(), told.size() - 1), 0);
  const std::string name(told.data());
  const auto process = static_cast<pid_t>(std::stol(name.substr(name.find(' '))));
  auto channel = ring::Channel::open(name.substr(0, name.find(' ')), "p").value();
  ::kill(record, SIGKILL);
  ::waitpid(record, nullptr, 0);
  std::this_thread::sleep_for(50ms);
  send_one(*channel);
  EXPECT_EQ(::kill(process, 0), 0);
  channel.reset();
  for (int i = 0; i < 5000 && ::kill(process, 0) == 0; ++i) std::this_thread::sleep_for(2ms);
  EXPECT_EQ(processes_in(folder.file("p.part.coal")), 1U);
}

}  // namespace
}  // namespace coalescope::tool
