#pragma once
// For tests: reads RFC 4180 back, strictly: what a careless reader would get wrong must not be there.

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace coalescope::csv {

using Fields = std::vector<std::string>;

// Every record; throws where the text is no CSV or a record has another number of fields than the first.
inline std::vector<Fields> parse(std::string_view text) {
  std::vector<Fields> records;
  while (!text.empty()) {
    Fields fields;
    for (bool more = true; more;) {
      std::string field;
      if (text.starts_with('"')) {
        text.remove_prefix(1);
        for (;; text.remove_prefix(1)) {
          if (text.empty()) throw std::runtime_error("a quoted field has no end");
          if (text.starts_with("\"\""))
            text.remove_prefix(1);
          else if (text.front() == '"')
            break;
          field += text.front();
        }
        text.remove_prefix(1);
      } else {
        const auto end = std::min(text.find_first_of(",\r"), text.size());
        field = text.substr(0, end);
        if (field.find_first_of("\"\n") != std::string::npos)
          throw std::runtime_error("a field that must be quoted is not: " + field);
        text.remove_prefix(end);
      }
      fields.push_back(field);
      more = text.starts_with(',');
      if (more) text.remove_prefix(1);
    }
    if (!text.starts_with("\r\n")) throw std::runtime_error("a record has no end");
    text.remove_prefix(2);
    if (!records.empty() && records.front().size() != fields.size())
      throw std::runtime_error("a record has another number of fields");
    records.push_back(std::move(fields));
  }
  return records;
}

// The value of a column in a record; throws when there is no such column.
inline std::string value(const std::vector<Fields>& records, std::size_t record, std::string_view column) {
  for (std::size_t i = 0; i < records.at(0).size(); ++i)
    if (records[0][i] == column) return records.at(record).at(i);
  throw std::runtime_error("no column " + std::string(column));
}

}  // namespace coalescope::csv
