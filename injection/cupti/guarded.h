#pragma once
// Nothing of ours escapes into the target: every function that it or the vendor's library calls runs its work
// through guarded(). What is caught is counted; after a few failures the recording is switched off.

#include <exception>
#include <pthread.h>
#include <string_view>

namespace coalescope::cupti {

// Defined by the session: counts a diagnostic, and switches the recording off when it keeps happening.
void report_failure(std::string_view where, std::string_view what) noexcept;

// Defined by the session, too: registers the recording's end once more as an exit handler. Handlers run last
// registered first, and the vendor's libraries register theirs when they are first used.
void finish_before_vendor() noexcept;

// While it lives the program cannot cancel this thread: that unwinds the stack, which nothing may do through
// guarded(), and mutexes of ours would stay locked. The thread ends at its next cancellation point after it.
class Uncancelled {
 public:
  Uncancelled() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~Uncancelled() { pthread_setcancelstate(before_, nullptr); }
  Uncancelled(const Uncancelled&) = delete;
  Uncancelled& operator=(const Uncancelled&) = delete;

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

template <class Function>
void guarded(std::string_view where, Function&& function) noexcept {
  const Uncancelled uncancelled;
  try {
    function();
  } catch (const std::exception& error) {
    report_failure(where, error.what());
  } catch (...) {
    report_failure(where, "unknown exception");
  }
}

// Marks that this thread is inside the recorder: callbacks caused by our own calls are not the target's.
class Inside {
 public:
  Inside() { ++depth(); }
  ~Inside() { --depth(); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  [[nodiscard]] static bool already() { return depth() > 0; }

 private:
  friend class Outside;
  static int& depth() {
    thread_local int value = 0;
    return value;
  }
};

// While a call of ours does what the target's next call would have done: what it causes is the target's.
class Outside {
 public:
  Outside() : before_(Inside::depth()) { Inside::depth() = 0; }
  ~Outside() { Inside::depth() = before_; }
  Outside(const Outside&) = delete;
  Outside& operator=(const Outside&) = delete;

 private:
  const int before_;
};

}  // namespace coalescope::cupti
