#pragma once
// The language in which a test tells a launch stream. One statement a line: a verb, its words, its key=value
// options, and for some a block in braces. '#' begins a comment. README.md lists the verbs.
//
//   kernel strided gpu_ns=7000 global_load_bytes=12800
//   threads 8 {
//     launch strided grid=25 block=128 times=200
//   }
//   fail cuptiRangeProfilerStart at=2 with=26

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace standin {

struct Statement {
  std::string verb;
  std::vector<std::string> words;
  std::map<std::string, std::string, std::less<>> options;
  std::vector<Statement> body;
  std::string text;  // as it was written, its block included

  [[nodiscard]] std::string word(std::size_t index) const;
  [[nodiscard]] bool has(std::string_view flag) const;  // among the words
  [[nodiscard]] std::int64_t number(std::string_view option, std::int64_t otherwise) const;
  [[nodiscard]] std::string option(std::string_view name, std::string_view otherwise) const;
};

// Throws std::runtime_error, which names the line, on what it does not understand.
[[nodiscard]] std::vector<Statement> parse_script(std::string_view text);
[[nodiscard]] std::vector<Statement> read_script(const std::string& path);

}  // namespace standin
