#include "core/symbols/look_up.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/memory_limit.h"
#include "core/base/scope_exit.h"
#include "core/symbols/debug_file.h"
#include "core/symbols/frame_codec.h"

namespace coalescope::symbols {
namespace {

using Clock = std::chrono::steady_clock;

// Debug information of a large library takes 2 GB when it is uncompressed.
constexpr std::int64_t kMostMib = 4096;
// Of all answers: 1,000 addresses with 10 frames each have 2 MB.
constexpr std::size_t kMostAnswerBytes = std::size_t{256} << 20;

bool write_all(int to, const std::string& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const auto count = ::write(to, bytes.data() + done, bytes.size() - done);
    if (count <= 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return true;
}

// The first byte of an answer.
constexpr char kReadable = 1, kReplaced = 2;

// One address after the other, so that what is found before a crash is not lost.
void answer(int to, const ModuleFile& module, std::span<const std::uint64_t> offsets,
            const LookUpOptions& options) {
  bool replaced = false;
  const auto file = DebugFile::open(module, options.debug_root, replaced);
  if (!write_all(to, std::string(1, replaced ? kReplaced : kReadable)) || !file) return;
  for (const std::uint64_t offset : offsets)
    if (!write_all(to, encode_frames(file->frames_at(offset)))) return;
}

[[noreturn]] void answer_and_exit(int to, const ModuleFile& module, std::span<const std::uint64_t> offsets,
                                  const LookUpOptions& options) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // A crash is an answer here: no core file, and nothing on a terminal.
  ::prctl(PR_SET_DUMPABLE, 0);
  if (const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC); nowhere >= 0)
    ::dup2(nowhere, STDERR_FILENO);
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL}) ::signal(signal, SIG_DFL);
  (void)base::limit_memory(kMostMib);
  try {
    answer(to, module, offsets, options);
  } catch (...) {  // no memory
  }
  ::_exit(0);  // the exit handlers are our caller's
}

// Until the child has ended or the time is over.
std::string read_answer(int from, Clock::time_point deadline) {
  std::string bytes;
  std::array<char, 65'536> buffer{};
  while (bytes.size() < kMostAnswerBytes) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd ready{from, POLLIN, 0};
    const int polled = left <= 0 ? 0 : ::poll(&ready, 1, static_cast<int>(left));
    if (polled < 0 && errno == EINTR) continue;
    if (polled <= 0) break;
    const auto count = ::read(from, buffer.data(), buffer.size());
    if (count == 0 || (count < 0 && errno != EINTR)) break;
    if (count > 0) bytes.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return bytes;
}

}  // namespace

LookUp look_up(const ModuleFile& module, std::span<const std::uint64_t> offsets,
               const LookUpOptions& options) {
  LookUp found;
  found.frames.resize(offsets.size());
  std::array<int, 2> ends{};
  if (offsets.empty() || ::pipe2(ends.data(), O_CLOEXEC) != 0) return found;
  const auto deadline = Clock::now() + options.time_limit;
  const base::ScopeExit close_pipe([&] { ::close(ends[0]); });
  const pid_t child = ::fork();
  if (child == 0) answer_and_exit(ends[1], module, offsets, options);
  ::close(ends[1]);
  if (child < 0) return found;
  const std::string bytes = read_answer(ends[0], deadline);
  ::kill(child, SIGKILL);
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (bytes.empty()) return found;
  found.replaced = bytes.front() == kReplaced;
  std::string_view rest = std::string_view(bytes).substr(1);
  for (Frames& each : found.frames) {
    auto frames = decode_frames(rest);
    if (!frames) break;
    each = std::move(*frames);
  }
  return found;
}

}  // namespace coalescope::symbols
