#pragma once
// Html is markup that is safe to print. Text turns into it only by being escaped, so a forgotten escape does
// not compile; what the program itself writes comes in through trusted().

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/html/escape.h"

namespace coalescope::html {

class Html {
 public:
  Html() = default;
  // Implicit on purpose: text in the place of markup is escaped.
  Html(std::string_view text) : markup_(escape_words(text)) {}
  Html(const std::string& text) : Html(std::string_view(text)) {}
  Html(const char* text) : Html(std::string_view(text)) {}

  // Code: nothing in it may break where its author did not write a space.
  static Html verbatim(std::string_view text) { return trusted(escape_text(text)); }

  // Only for literals and embedded files: never for anything that a capture holds.
  static Html trusted(std::string markup) {
    Html html;
    html.markup_ = std::move(markup);
    return html;
  }

  Html& operator<<(const Html& more) {
    markup_ += more.markup_;
    return *this;
  }

  [[nodiscard]] bool empty() const { return markup_.empty(); }
  [[nodiscard]] const std::string& markup() const { return markup_; }

 private:
  std::string markup_;
};

// An attribute without a value ("open") has an empty one.
struct Attribute {
  std::string_view name;
  std::string value;
};
using Attributes = std::vector<Attribute>;

// <tag name="value">content</tag>
Html element(std::string_view tag, const Attributes& attributes, const Html& content = {});
Html element(std::string_view tag, const Html& content);

// A span whose title holds what the shown number stands for exactly.
Html exactly(const Html& shown, std::string title);

// <section id="..."><h2>heading</h2>content</section>
Html section(std::string id, std::string_view heading, const Html& content);

// A paragraph of text.
Html paragraph(const Html& content);

// A closed block that opens by a click, without script.
Html details(std::string_view summary, const Html& content);

}  // namespace coalescope::html
