// Order of events in the writer process, which has all signals blocked from its beginning: a session of its
// own, every descriptor but the line closed, limits up. Then it serves until the line says that the target
// has ended. A line that is cut says that `record` was killed: then it serves until the last process that is
// recorded has ended.
#include "tool/writer_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/model/diagnostic_kinds.h"
#include "core/ring/server.h"
#include "tool/collect.h"

namespace coalescope::tool {
namespace {

using base::ErrorCode;
using base::failure;
using base::Result;

// Between two looks at the rings: while much comes, and when nothing has come for a while.
constexpr int kShortestPauseUs = 200;
constexpr int kLongestPauseUs = 10'000;
// Without a sign of life. A disk may take its time.
constexpr int kPatienceS = 60;
constexpr char kTargetHasEnded = 'e';
constexpr int kLine = 3;  // where the line lies in the writer process

enum class Line { quiet, target_has_ended, cut };

Line listen_for(int pause_us) {
  pollfd poll{kLine, POLLIN, 0};
  const timespec pause{0, pause_us * 1000L};
  if (::ppoll(&poll, 1, &pause, nullptr) <= 0) return Line::quiet;
  char word = 0;
  return ::read(kLine, &word, 1) == 1 && word == kTargetHasEnded ? Line::target_has_ended : Line::cut;
}

// The caller's files and terminal are not ours to hold; a pipe that we held would never end for its reader.
void close_all_but(int line) {
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor)
    if (nowhere >= 0) ::dup2(nowhere, descriptor);
  ::dup2(line, kLine);
  ::closefrom(kLine + 1);
}

void stand_apart(int line) {
  // The C library's own way leaves out two that it uses itself.
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  ::syscall(SYS_rt_sigprocmask, SIG_SETMASK, &kAll, nullptr, sizeof kAll);
  // Blocked, it would not be noted; ignored, a write beyond the limit is an error.
  ::signal(SIGXFSZ, SIG_IGN);
  ::setsid();
  ::prctl(PR_SET_NAME, "coalescope-part");
  close_all_but(line);
}

void serve(ring::Control& control, const std::string& folder) {
  ring::Server server(control, folder);
  bool alone = false;
  int pause_us = kShortestPauseUs;
  for (;;) {
    const bool found = server.step();
    if (alone && server.serves_nobody()) break;
    pause_us = found ? kShortestPauseUs : std::min(pause_us * 2, kLongestPauseUs);
    if (alone) {
      ::usleep(static_cast<useconds_t>(pause_us));
      continue;
    }
    const Line heard = listen_for(pause_us);
    if (heard == Line::target_has_ended) break;
    alone = heard == Line::cut;
  }
  server.finish();
}

[[noreturn]] void live(ring::Control& control, const std::string& folder, int line) {
  try {
    stand_apart(line);
    serve(control, folder);
  } catch (const std::exception&) {  // no memory: what is committed stays
    ::_exit(1);
  }
  ::_exit(0);
}

}  // namespace

Result<WriterProcess> WriterProcess::start(const std::string& folder) {
  auto control = ring::Control::create();
  if (!control)
    return failure(ErrorCode::usage, "cannot record: " + control.error().message, control.error().remedy);
  std::array<int, 2> line{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, line.data()) != 0)
    return failure(ErrorCode::failed,
                   fmt::format("cannot record: no socket can be had: {}", std::strerror(errno)));
  const pid_t process = ::fork();
  if (process == 0) {
    ::close(line[0]);
    live(*control, folder, line[1]);
  }
  const int code = errno;
  ::close(line[1]);
  if (process < 0) {
    ::close(line[0]);
    return failure(ErrorCode::failed,
                   fmt::format("cannot record: no process can be started: {}", std::strerror(code)));
  }
  return WriterProcess(std::move(*control), process, line[0]);
}

WriterProcess::~WriterProcess() {
  try {
    (void)stop();
  } catch (const std::exception&) {  // no memory to say what went wrong: it has ended
  }
}

// It ends by itself; only one that shows no sign of life for long is killed.
void WriterProcess::wait_for_end() {
  std::uint64_t beats = control_.beats();
  for (int silent_s = 0; silent_s < kPatienceS;) {
    pollfd end{line_, POLLIN, 0};
    const int ready = ::poll(&end, 1, 1000);
    if (ready > 0) return;
    if (ready < 0 && errno == EINTR) continue;
    silent_s = control_.beats() == beats ? silent_s + 1 : 0;
    beats = control_.beats();
  }
  ::kill(process_, SIGKILL);
}

std::vector<model::Diagnostic> WriterProcess::stop() {
  if (process_ < 0) return {};
  (void)::send(line_, &kTargetHasEnded, 1, MSG_NOSIGNAL);
  wait_for_end();
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  ::close(line_);
  process_ = -1;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  const std::string how = WIFSIGNALED(status) ? fmt::format("was ended by signal {}", WTERMSIG(status))
                                              : std::string("ran out of memory");
  return {make_diagnostic(model::diagnostic_kind("record", "writer_ended"), {how})};
}

}  // namespace coalescope::tool
