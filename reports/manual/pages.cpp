#include "reports/manual/pages.h"

#include <algorithm>

#include "coalescope_manual_embedded.h"

namespace coalescope::manual {
namespace {

// A terminal shows none, and a reader of SARIF has no files of ours. The empty line behind a picture goes,
// too.
std::string without_pictures(std::string_view text) {
  std::string kept;
  bool after_picture = false;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
    text.remove_prefix(line.size());
    const bool picture = line.starts_with("![");
    if (!picture && !(after_picture && line == "\n")) kept += line;
    after_picture = picture;
  }
  return kept;
}

Page parse(std::string_view text) {
  std::string_view heading = text.substr(0, text.find('\n'));
  heading.remove_prefix(std::min(heading.size(), std::string_view("# ").size()));
  const std::size_t colon = std::min(heading.find(": "), heading.size());
  return {heading.substr(0, colon), heading.substr(std::min(heading.size(), colon + 2)),
          without_pictures(text)};
}

}  // namespace

const std::vector<Page>& pages() {
  static const std::vector<Page> kPages = [] {
    std::vector<Page> pages;
    for (const std::string_view text : rule_pages()) pages.push_back(parse(text));
    std::ranges::sort(pages, {}, &Page::rule);
    return pages;
  }();
  return kPages;
}

const Page* page_of(std::string_view rule) {
  const auto found = std::ranges::find(pages(), rule, &Page::rule);
  return found == pages().end() ? nullptr : &*found;
}

}  // namespace coalescope::manual
