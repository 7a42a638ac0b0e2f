#include "injection/recorder/writer_thread.h"

#include <pthread.h>
#include <signal.h>

#include "core/base/scope_exit.h"

namespace coalescope::recorder {
namespace {

using namespace std::chrono_literals;

constexpr auto kCommitEvery = 250ms;

}  // namespace

WriterThread::WriterThread(std::unique_ptr<PartFile> file, WorkQueue<WorkItem>& queue,
                           Diagnostics& diagnostics, std::function<void(PartFile&, bool last)> before_commit)
    : file_(std::move(file)),
      queue_(queue),
      diagnostics_(diagnostics),
      before_commit_(std::move(before_commit)) {}

void WriterThread::start() {
  // The target's signals must never land on our thread: it inherits a full mask.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const base::ScopeExit restore([&before] { pthread_sigmask(SIG_SETMASK, &before, nullptr); });
  thread_ = std::thread([this] { run(); });
  pthread_setname_np(thread_.native_handle(), "coalescope");
}

void WriterThread::drain(std::chrono::milliseconds patience) {
  for (auto& item : queue_.take(patience)) {
    std::visit([this](const auto& work) { file_->write(work); }, item);
    // One by one: of a program that is killed meanwhile only what was not sent is lost.
    file_->publish();
  }
}

// An exception here would end the program. finish() writes what is still to be had.
void WriterThread::run() {
  try {
    write_until_stopped();
  } catch (const std::exception& error) {
    try {
      diagnostics_.add(model::diagnostic_kind("", "exception"), {error.what()}, 1, "writer");
    } catch (...) {  // no memory even for that
    }
  }
  ended_.store(true, std::memory_order_release);
}

void WriterThread::write_until_stopped() {
  auto last_commit = std::chrono::steady_clock::now();
  while (!stop_.load(std::memory_order_acquire)) {
    drain(kCommitEvery);
    const auto now = std::chrono::steady_clock::now();
    if (now - last_commit >= kCommitEvery) {
      before_commit_(*file_, false);
      file_->commit();
      last_commit = now;
    }
  }
  // Twice, because kernels that only the trace knows queue their rows while it is written.
  drain(0ms);
  drain(0ms);
  before_commit_(*file_, true);
  file_->commit();
}

bool WriterThread::finish(std::chrono::milliseconds patience, const model::Process& process) {
  stop_.store(true, std::memory_order_release);
  queue_.wake();
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!ended_.load(std::memory_order_acquire)) {
    if (std::chrono::steady_clock::now() > deadline) {
      thread_.detach();
      return false;
    }
    std::this_thread::sleep_for(1ms);
  }
  thread_.join();
  file_->write(process);
  before_commit_(*file_, true);
  file_->commit();
  return true;
}

}  // namespace coalescope::recorder
