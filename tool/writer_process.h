#pragma once
// The process that writes what the recorded processes send. It is forked before the target starts, and is
// nobody's business but ours: no signal reaches it, it holds none of the target's files, and when it is
// killed the target does not notice.

#include <string>
#include <string_view>
#include <sys/types.h>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/model/diagnostic.h"
#include "core/ring/control.h"

namespace coalescope::tool {

// The diagnostic's code where it did not come to its end.
inline constexpr std::string_view kWriterEnded = "writer_ended";

class WriterProcess {
 public:
  // It writes into `folder`, an absolute path. To be called while an Inheritance lives, which holds all
  // signals and has raised the limits: the new process is never without either.
  [[nodiscard]] static base::Result<WriterProcess> start(const std::string& folder);
  WriterProcess(WriterProcess&& other) noexcept
      : control_(std::move(other.control_)),
        process_(std::exchange(other.process_, -1)),
        line_(std::exchange(other.line_, -1)) {}
  WriterProcess& operator=(WriterProcess&&) = delete;
  ~WriterProcess();

  // How a process of the run finds it: the value of COALESCOPE_RING.
  [[nodiscard]] std::string ring() const { return control_.name(); }
  [[nodiscard]] pid_t process() const { return process_; }
  // The target has ended. Waits until all that was sent is written; says what went wrong.
  [[nodiscard]] std::vector<model::Diagnostic> stop();

 private:
  WriterProcess(ring::Control control, pid_t process, int line)
      : control_(std::move(control)), process_(process), line_(line) {}
  void wait_for_end();

  ring::Control control_;
  pid_t process_ = -1;
  int line_ = -1;  // our end of a socket pair: each side learns of the other's end by it
};

}  // namespace coalescope::tool
