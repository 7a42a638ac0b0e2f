#include "tests/standin/script.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace standin {
namespace {

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::vector<Statement> block(bool nested) {
    std::vector<Statement> statements;
    while (position_ < text_.size()) {
      const auto began = position_;
      auto words = split(next_line());
      if (words.empty()) continue;
      if (words.front() == "}") {
        if (!nested || words.size() > 1) fail("a '}' that closes nothing");
        return statements;
      }
      const bool opens = words.back() == "{";
      if (opens) words.pop_back();
      Statement statement = from_words(words);
      if (opens) statement.body = block(true);
      statement.text = text_.substr(began, position_ - began);
      statements.push_back(std::move(statement));
    }
    if (nested) fail("a '{' that nothing closes");
    return statements;
  }

 private:
  std::string next_line() {
    const auto end = std::min(text_.find('\n', position_), text_.size());
    const auto line = text_.substr(position_, end - position_);
    position_ = std::min(end + 1, text_.size());
    ++line_;
    return std::string(line.substr(0, line.find('#')));
  }

  static std::vector<std::string> split(const std::string& line) {
    std::istringstream stream(line);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
  }

  Statement from_words(const std::vector<std::string>& words) const {
    if (words.empty()) fail("a block without a verb");
    Statement statement;
    statement.verb = words.front();
    for (std::size_t i = 1; i < words.size(); ++i) {
      const auto equals = words[i].find('=');
      if (equals == std::string::npos)
        statement.words.push_back(words[i]);
      else
        statement.options[words[i].substr(0, equals)] = words[i].substr(equals + 1);
    }
    return statement;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error("script, line " + std::to_string(line_) + ": " + what);
  }

  std::string_view text_;
  std::size_t position_ = 0;
  int line_ = 0;
};

}  // namespace

std::string Statement::word(std::size_t index) const {
  if (index >= words.size()) throw std::runtime_error("script: '" + verb + "' lacks a word");
  return words[index];
}

bool Statement::has(std::string_view flag) const {
  return std::find(words.begin(), words.end(), flag) != words.end();
}

std::int64_t Statement::number(std::string_view name, std::int64_t otherwise) const {
  const auto found = options.find(name);
  return found == options.end() ? otherwise : std::stoll(found->second);
}

std::string Statement::option(std::string_view name, std::string_view otherwise) const {
  const auto found = options.find(name);
  return found == options.end() ? std::string(otherwise) : found->second;
}

std::vector<Statement> parse_script(std::string_view text) {
  return Parser(text).block(false);
}

std::vector<Statement> read_script(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read the script '" + path + "'");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  return parse_script(text);
}

}  // namespace standin
