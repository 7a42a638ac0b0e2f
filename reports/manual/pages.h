#pragma once
// The pages of docs/rules as they were when this was built: symptom, cause and repair of what a rule finds.

#include <string>
#include <string_view>
#include <vector>

namespace coalescope::manual {

struct Page {
  std::string_view rule;   // "G01", from its heading "# G01: Uncoalesced loads, uncoalesced stores"
  std::string_view title;  // "Uncoalesced loads, uncoalesced stores"
  std::string text;        // the page without its pictures, Markdown
};

// In the order of the ids.
[[nodiscard]] const std::vector<Page>& pages();

// nullptr: there is none.
[[nodiscard]] const Page* page_of(std::string_view rule);

}  // namespace coalescope::manual
