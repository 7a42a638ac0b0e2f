#include "reports/html/markup.h"

namespace coalescope::html {

Html element(std::string_view tag, const Attributes& attributes, const Html& content) {
  std::string out = "<";
  out += tag;
  for (const Attribute& attribute : attributes) {
    out += ' ';
    out += attribute.name;
    out += "=\"";
    out += escape_attribute(attribute.value);
    out += '"';
  }
  out += '>';
  out += content.markup();
  out += "</";
  out += tag;
  out += '>';
  return Html::trusted(std::move(out));
}

Html element(std::string_view tag, const Html& content) {
  return element(tag, Attributes{}, content);
}

Html exactly(const Html& shown, std::string title) {
  return element("span", {{"title", std::move(title)}}, shown);
}

Html section(std::string id, std::string_view heading, const Html& content) {
  const std::string heading_id = id + "-heading";
  Html inner = element("h2", {{"id", heading_id}}, heading);
  inner << content;
  return element("section", {{"id", std::move(id)}, {"aria-labelledby", heading_id}}, inner);
}

Html paragraph(const Html& content) {
  return element("p", content);
}

Html details(std::string_view summary, const Html& content) {
  Html inner = element("summary", summary);
  inner << content;
  return element("details", inner);
}

}  // namespace coalescope::html
