#include "reports/html/frame.h"

#include <array>
#include <map>

#include "coalescope_html_embedded.h"
#include "reports/html/content_policy.h"

namespace coalescope::html {
namespace {

std::string policy(bool charts) {
  const std::array<std::string_view, 4> scripts{theme_js_sha256(), table_js_sha256(), data_table_js_sha256(),
                                                charts_js_sha256()};
  return content_policy(style_css_sha256(), std::span(scripts).first(charts ? 4 : 3));
}

Html script(std::string_view code) {
  return code.empty() ? Html{} : Html::trusted("<script>" + std::string(code) + "</script>\n");
}

Html footer(bool charts) {
  Html content =
      paragraph("Made by coalescope. This file loads nothing from anywhere and can be passed on as it is.");
  if (charts)
    content << details("Licences of what is embedded in this page",
                       element("pre", {{"tabindex", "0"}}, Html(licences_txt())));
  else if (!have_charts())
    content << paragraph(
        "Charts are off: this coalescope was built without npm. The tables hold all numbers.");
  return element("footer", content);
}

// One pass over the template, so that a slot's content is never searched for slots.
std::string filled(std::string_view page, const std::map<std::string_view, std::string>& slots) {
  std::string out;
  for (std::size_t open = page.find("{{"); open != page.npos; open = page.find("{{")) {
    const std::size_t close = page.find("}}", open);
    out += page.substr(0, open);
    out += slots.at(page.substr(open + 2, close - open - 2));
    page.remove_prefix(close + 2);
  }
  return out.append(page);
}

}  // namespace

bool have_charts() {
  return !charts_js().empty();
}

std::string framed(std::string_view title, const Html& header, const std::vector<Section>& sections,
                   const Html& data) {
  const bool charts = have_charts() && !data.empty();
  Html contents, content;
  for (const Section& section : sections) {
    if (section.content.empty()) continue;
    contents << element("li", element("a", {{"href", "#" + std::string(section.id)}}, section.name));
    content << section.content << Html::trusted("\n");
  }
  return filled(page_html(), {{"policy", policy(charts)},
                              {"title", escape_text(title)},
                              {"style", std::string(style_css())},
                              {"theme", script(theme_js()).markup()},
                              {"contents", element("ul", contents).markup()},
                              {"header", header.markup()},
                              {"sections", content.markup()},
                              {"footer", footer(charts).markup()},
                              {"data", data.markup()},
                              {"table", script(table_js()).markup()},
                              {"data_table", script(data_table_js()).markup()},
                              {"charts", charts ? script(charts_js()).markup() : ""}});
}

}  // namespace coalescope::html
