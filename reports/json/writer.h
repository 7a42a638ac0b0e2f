#pragma once
// Writes JSON from front to back, without a tree of it first: a report of thousands of kernels is tens of
// megabytes.

#include <cstdint>
#include <string>
#include <string_view>

namespace coalescope::json {

class Writer {
 public:
  // `indent` below 0 puts all on one line.
  Writer(std::string& out, int indent) : out_(out), indent_(indent) {}

  void open(char bracket);
  void close(char bracket);
  // Before each element of a list; a member names itself.
  void next();
  void name(std::string_view name);

  void null() { out_ += "null"; }
  void boolean(bool value) { out_ += value ? "true" : "false"; }
  void integer(std::int64_t value);
  // What is not a finite number is null.
  void number(double value);
  // Bytes that are not UTF-8 become U+FFFD.
  void text(std::string_view value);

 private:
  void new_line();

  std::string& out_;
  int indent_;
  int depth_ = 0;
  bool empty_ = true;  // nothing stands behind the last bracket that was opened
};

}  // namespace coalescope::json
