#include "tool/cli_pages.h"

#include <gtest/gtest.h>

namespace coalescope::tool {
namespace {

const CliPages kPages{{"", "About", "", {{{"--version"}, "Say which", {}, false, false}}},
                      {"show",
                       "Show a file's rows",
                       "See also: list",
                       {{{"FILE"}, "The file", {}, true, true},
                        {{"-f", "--form"}, "Which: [form]", {"text", "json"}, true, false}}}};

bool has(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

TEST(CliPages, TheManualHasEveryOption) {
  const std::string page = manual_page(kPages, "1.2.3");
  EXPECT_TRUE(page.starts_with(".TH COALESCOPE 1 \"\" \"coalescope 1.2.3\"")) << page;
  EXPECT_TRUE(has(page, "\\fB\\-f, \\-\\-form\\fR \\fItext|json\\fR\nWhich: [form]\n")) << page;
  EXPECT_TRUE(has(page, "\\fBFILE\\fR\nThe file\n")) << page;
  EXPECT_TRUE(has(page, "See also: list")) << page;
}

// A line that begins with a point would be a request.
TEST(CliPages, TheManualHasNoRequestsOfItsHelp) {
  CliPages pages = kPages;
  pages[0].options[0].help = ".TH evil";
  EXPECT_TRUE(has(manual_page(pages, "1"), "\n\\&.TH evil\n"));
}

TEST(CliPages, ShellsGetNamesChoicesAndHelp) {
  const std::string bash = bash_completion(kPages);
  EXPECT_TRUE(has(bash, "-f|--form) COMPREPLY=($(compgen -W 'text json' -- \"$word\")); return ;;")) << bash;
  EXPECT_TRUE(has(bash, "compgen -W '--version show'")) << bash;
  const std::string zsh = zsh_completion(kPages);
  EXPECT_TRUE(has(zsh, "'show:Show a file'\\''s rows'")) << zsh;
  EXPECT_TRUE(has(zsh, "'--form[Which\\: \\[form\\]]:value:(text json)'")) << zsh;
  const std::string fish = fish_completion(kPages);
  EXPECT_TRUE(
      has(fish, "-n '__fish_seen_subcommand_from show' -s f -l form -r -fa 'text json' -d 'Which: [form]'"))
      << fish;
}

}  // namespace
}  // namespace coalescope::tool
