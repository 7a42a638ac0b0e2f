#include "reports/markdown/escape.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>

#include "core/base/clean.h"

namespace coalescope::markdown {
namespace {

struct Replacement {
  char what;
  std::string_view with;
};
// An empty comment keeps "@name" from being a mention and "#1" from being a reference, also once it is
// rendered.
constexpr std::array kReplacements{
    Replacement{'&', "&amp;"},  Replacement{'<', "&lt;"},      Replacement{'>', "&gt;"},
    Replacement{'|', "&#124;"}, Replacement{'`', "&#96;"},     Replacement{'\\', "&#92;"},
    Replacement{'$', "&#36;"},  Replacement{'*', "\\*"},       Replacement{'_', "\\_"},
    Replacement{'[', "\\["},    Replacement{']', "\\]"},       Replacement{'~', "\\~"},
    Replacement{'!', "\\!"},    Replacement{'@', "@<!-- -->"}, Replacement{'#', "#<!-- -->"}};
constexpr std::array<std::string_view, 2> kLinks{"://", "www."};  // such text becomes a link by itself

bool is_plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || std::isalnum(byte) != 0 || c == ' ';
}

// A line that begins like one of a list, a heading or a rule would be one.
std::string_view first_escape(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+') || text.starts_with('=')) return "\\";
  return {};
}

// "1. " begins a numbered list.
std::size_t list_number(std::string_view text) {
  const std::size_t digits = text.find_first_not_of("0123456789");
  if (digits == std::string_view::npos || digits == 0) return std::string_view::npos;
  const std::string_view rest = text.substr(digits);
  const bool marks = rest.starts_with(". ") || rest.starts_with(") ") || rest == "." || rest == ")";
  return marks ? digits : std::string_view::npos;
}

}  // namespace

std::string prose(std::string_view text) {
  const std::string harmless = base::clean(text);
  std::string out(first_escape(harmless));
  const std::size_t number = list_number(harmless);
  for (std::size_t i = 0; i < harmless.size(); ++i) {
    const char c = harmless[i];
    if (i == number) out += '\\';
    const auto* found = std::ranges::find(kReplacements, c, &Replacement::what);
    if (found != kReplacements.end())
      out += found->with;
    else
      out += c;
    for (const auto link : kLinks)
      if (std::string_view(harmless).substr(i).starts_with(link)) out += "<!-- -->";
  }
  return out;
}

std::string code(std::string_view text) {
  const std::string harmless = base::clean(text);
  const bool fits = !harmless.empty() && harmless.find_first_of("`|\\") == std::string::npos &&
                    harmless.front() != ' ' && harmless.back() != ' ';
  if (fits) return "`" + harmless + "`";
  std::string out;
  for (const char c : harmless)
    out += is_plain(c) ? std::string(1, c) : fmt::format("&#{};", static_cast<int>(c));
  return "<code>" + out + "</code>";
}

}  // namespace coalescope::markdown
