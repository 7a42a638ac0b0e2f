#pragma once
// Writes the records of a CSV table. A table describes its row once, name beside value; the heading is that
// description without the values.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace coalescope::csv {

class Record {
 public:
  enum class Part { heading, values };

  Record(std::string& out, Part part) : out_(out), part_(part) {}

  // Text is made harmless (base::clean), and never begins like a formula of a spreadsheet.
  void text(std::string_view name, std::optional<std::string_view> value);
  void number(std::string_view name, std::optional<std::int64_t> value);
  void number(std::string_view name, std::optional<double> value);
  void yes_or_no(std::string_view name, bool value);
  void end();

 private:
  void field(std::string_view name, std::string_view value);

  std::string& out_;
  Part part_;
  bool first_ = true;
};

// The value as a field: quoted where RFC 4180 asks for it.
[[nodiscard]] std::string quoted(std::string_view value);

// With an apostrophe before what a spreadsheet would compute: "=cmd()", "+1", "@SUM(A1)".
[[nodiscard]] std::string no_formula(std::string value);

}  // namespace coalescope::csv
