// What injection/python reads of the calling thread, for a Python program that compares it with what Python
// itself says. Loaded through ctypes.

#include <algorithm>
#include <chrono>
#include <cstring>
#include <dlfcn.h>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <thread>

#include "injection/python/interpreter.h"

namespace {

using coalescope::python::Interpreter;

Interpreter* interpreter() {
  static const auto found = Interpreter::find();
  return found ? found->get() : nullptr;
}

void write(const std::string& text, char* to, std::size_t bytes) {
  const std::size_t length = std::min(text.size(), bytes - 1);
  std::memcpy(to, text.data(), length);
  to[length] = '\0';
}

}  // namespace

// A line a frame, innermost first: file, line and function with tabs between. Or "error: " and why.
extern "C" __attribute__((visibility("default"))) void probe_stack(char* to, std::size_t bytes) {
  static const auto found = Interpreter::find();
  if (!found) return write("error: " + found.error().text(), to, bytes);
  Interpreter* const python = interpreter();
  if (python == nullptr) return write("error: no Python", to, bytes);
  std::string text;
  for (const auto& frame : python->stack()) {
    const auto place = python->place_of(frame);
    text += fmt::format("{}\t{}\t{}\n", place.file, place.line.value_or(0), place.function);
  }
  write(text, to, bytes);
}

extern "C" __attribute__((visibility("default"))) std::uint64_t probe_hash() {
  return interpreter() == nullptr ? 0 : interpreter()->stack_hash();
}

extern "C" __attribute__((visibility("default"))) int probe_is_broken() {
  return interpreter() != nullptr && interpreter()->is_broken() ? 1 : 0;
}

// Nanoseconds of a stack_hash() of this thread's stack, as the mean of so many.
extern "C" __attribute__((visibility("default"))) double probe_cost_ns(int times) {
  const auto began = std::chrono::steady_clock::now();
  std::uint64_t sum = 0;
  for (int i = 0; i < times; ++i) sum += probe_hash();
  const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - began;
  return sum == 1 ? 0 : spent.count() / times;
}

// As PyTorch's backward threads launch: the interpreter knows them, and they run no Python.
extern "C" __attribute__((visibility("default"))) void probe_launch_without_frames(void* set_current,
                                                                                   void* context,
                                                                                   void* launch,
                                                                                   void* kernel) {
  using Launch = int (*)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*,
                         void**, void**);
  const auto ensure = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "PyGILState_Ensure"));
  const auto release = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "PyGILState_Release"));
  const auto save = reinterpret_cast<void* (*)()>(dlsym(RTLD_DEFAULT, "PyEval_SaveThread"));
  const auto restore = reinterpret_cast<void (*)(void*)>(dlsym(RTLD_DEFAULT, "PyEval_RestoreThread"));
  std::thread([&] {
    const int state = ensure();
    void* const thread = save();
    reinterpret_cast<int (*)(void*)>(set_current)(context);
    reinterpret_cast<Launch>(launch)(kernel, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr);
    restore(thread);
    release(state);
  }).join();
}
