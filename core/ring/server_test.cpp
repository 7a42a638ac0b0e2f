#include "core/ring/server.h"

#include <array>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "core/capture/captures_test.h"
#include "core/capture/reader.h"
#include "core/ring/row_writer.h"
#include "core/ring/served_test.h"

namespace coalescope::ring {
namespace {

// A process that records one row, and ends as it is told.
void record_one(const std::string& control, const std::string& stem, bool killed) {
  auto channel = Channel::open(control, stem);
  if (!channel) ::_exit(1);
  RowWriter rows((*channel)->ring());
  if (!rows.insert(model::Process{.id = {1}, .pid = ::getpid()}) || !rows.publish()) ::_exit(2);
  if (killed) ::raise(SIGKILL);
  ::_exit(0);
}

std::size_t parts_with_a_row(const capture::TemporaryFolder& folder) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    auto reader = capture::Reader::open(entry.path());
    count += reader && reader->rows<model::Process>().value().size() == 1 ? 1U : 0U;
  }
  return count;
}

// More than are on offer at once. All are forked before the server's thread begins: AddressSanitizer's
// allocator may hang in the child of a process whose other threads allocate.
TEST(Server, ServesAStormOfProcesses) {
  const capture::TemporaryFolder folder;
  Control control = Control::create().value();
  std::array<int, 2> gate{};
  ASSERT_EQ(::pipe(gate.data()), 0);
  constexpr int kProcesses = 200;
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(gate[1]);
      char nothing = 0;
      (void)!::read(gate[0], &nothing, 1);  // until the gate opens
      record_one(control.name(), "p-" + std::to_string(i), i % 2 == 0);
    }
    children.push_back(child);
  }
  Served served(folder.path(), std::move(control));
  ::close(gate[0]);
  ::close(gate[1]);
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0) << WEXITSTATUS(status);
  }
  served.finish();
  EXPECT_EQ(parts_with_a_row(folder), kProcesses);
}

TEST(Server, GivesARingUpWhenItsProcessHasEnded) {
  const capture::TemporaryFolder folder;
  auto control = Control::create().value();
  Server server(control, folder.path());
  server.step();
  auto channel = Channel::open(control.name(), "p").value();
  server.step();
  EXPECT_FALSE(server.serves_nobody());
  channel.reset();
  server.step();
  EXPECT_TRUE(server.serves_nobody());
  EXPECT_FALSE(control.is_claimed(0));
}

TEST(Server, AProcessThatGoesOnIsToldThatNobodyListens) {
  const capture::TemporaryFolder folder;
  Served served(folder.path());
  const auto channel = served.open("p");
  served.finish();
  EXPECT_FALSE(channel->ring().push(FrameKind::rows, {}, std::chrono::hours(1)));
}

TEST(Channel, KnowsWhoSharesItsGpu) {
  const capture::TemporaryFolder folder;
  Served served(folder.path());
  const auto first = served.open("a");
  auto second = served.open("b");
  EXPECT_FALSE(first->shares_gpu("GPU-1"));
  EXPECT_FALSE(second->shares_gpu("GPU-2"));
  EXPECT_FALSE(first->shares_gpu("GPU-1"));
  EXPECT_TRUE(second->shares_gpu("GPU-1"));
  EXPECT_TRUE(first->shares_gpu("GPU-1"));
  second.reset();
  served.wait();
  EXPECT_FALSE(first->shares_gpu("GPU-1"));
}

}  // namespace
}  // namespace coalescope::ring
