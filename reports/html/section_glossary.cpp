// What the page's words mean, for a reader who meets them for the first time.
#include "reports/analysis/glossary.h"
#include "reports/html/sections.h"

namespace coalescope::html {

Html glossary_section(const analysis::Report&) {
  Html list;
  for (const analysis::Term& term : analysis::kGlossary) {
    if (!term.on_page) continue;
    Html pair = element("dt", term.term);
    pair << element("dd", term.definition);
    list << element("div", pair);
  }
  return section("glossary", "Glossary",
                 details("What the words mean", element("dl", {{"class", "glossary"}}, list)));
}

}  // namespace coalescope::html
