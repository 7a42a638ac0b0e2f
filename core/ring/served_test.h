#pragma once
// Serves rings from a thread of a test, as the writer process does from a process of its own.

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "core/ring/channel.h"
#include "core/ring/server.h"

namespace coalescope::ring {

class Served {
 public:
  explicit Served(std::string folder, Control control = Control::create().value())
      : control_(std::move(control)), server_(control_, std::move(folder)), thread_([this] { run(); }) {}
  ~Served() { finish(); }
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;

  [[nodiscard]] std::string name() const { return control_.name(); }
  [[nodiscard]] std::unique_ptr<Channel> open(const std::string& stem) {
    return Channel::open(control_.name(), stem).value();
  }
  // What was sent before is committed after: the server takes all of it, and commits a while later, however
  // long its thread has to wait for a processor.
  void wait() const {
    wait_for_steps({});
    wait_for_steps(std::chrono::milliseconds(300));
  }
  void finish() {
    stop_ = true;
    if (!thread_.joinable()) return;
    thread_.join();
    server_.finish();
  }

 private:
  // Two: the first may have begun before.
  void wait_for_steps(std::chrono::milliseconds at_least) const {
    std::this_thread::sleep_for(at_least);
    for (const auto step = steps_.load(); steps_ < step + 2;)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  void run() {
    while (!stop_) {
      if (!server_.step()) std::this_thread::sleep_for(std::chrono::microseconds(200));
      ++steps_;
    }
  }

  Control control_;
  Server server_;
  std::atomic<bool> stop_{false};
  std::atomic<std::uint64_t> steps_{0};
  std::thread thread_;
};

}  // namespace coalescope::ring
