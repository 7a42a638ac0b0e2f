// Files that are no programs, or were programs once: nothing is found in them, and nothing comes of it.

#include <chrono>
#include <cstring>
#include <elf.h>
#include <iterator>
#include <random>
#include <sys/stat.h>

#include "core/symbols/look_up_test.h"

namespace coalescope::symbols {
namespace {

class DamagedFilesTest : public LookUpTest {};

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(DamagedFilesTest, SurvivesWhatIsNoProgram) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  Elf32_Ehdr narrow{};
  std::memcpy(narrow.e_ident, ELFMAG, SELFMAG);
  narrow.e_ident[EI_CLASS] = ELFCLASS32;
  narrow.e_ident[EI_DATA] = ELFDATA2LSB;
  narrow.e_ident[EI_VERSION] = EV_CURRENT;
  narrow.e_type = ET_DYN;
  narrow.e_machine = EM_386;
  narrow.e_version = EV_CURRENT;
  narrow.e_ehsize = sizeof narrow;
  set_content("narrow", std::string(reinterpret_cast<const char*>(&narrow), sizeof narrow));
  set_content("empty", "");
  for (const fs::path& path :
       {fs::path("/etc/passwd"), fs::path("/does/not/exist"), fs::path("/tmp"), fs::path("/dev/zero"),
        fs::path("[vdso]"), fs::path(""), folder_ / "pipe", folder_ / "narrow", folder_ / "empty"})
    EXPECT_TRUE(one(path, 10).empty()) << path;
}

TEST_F(DamagedFilesTest, SurvivesAProgramThatIsCutOff) {
  const auto offset = offsets_of(program("dwarf5")).at("inlined");
  const std::string whole = content(program("dwarf5"));
  for (std::size_t size = 0; size < whole.size(); size += 4096) {
    set_content("cut", whole.substr(0, size));
    EXPECT_LE(one(folder_ / "cut", offset).size(), 3U);
  }
}

TEST_F(DamagedFilesTest, SurvivesAProgramThatIsDamaged) {
  const auto offset = offsets_of(program("dwarf5")).at("inlined");
  const std::string whole = content(program("dwarf5"));
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::string bytes = whole;
    // Headers, or the debug information, which lies behind the code.
    const std::size_t first = round % 4 == 0 ? 0 : whole.size() / 3;
    const std::size_t span = round % 4 == 0 ? 1024 : whole.size() - first;
    for (int i = 0; i < 1 + round % 64; ++i) bytes[first + random() % span] = static_cast<char>(random());
    set_content("damaged", bytes);
    LookUpOptions options;
    options.time_limit = std::chrono::seconds(2);
    (void)look_up({folder_ / "damaged", ""}, std::array{offset, offset + 1}, options);
  }
}

// The debug file that is linked to is a pipe: opening it never ends.
TEST_F(DamagedFilesTest, TakesNoLongerThanItMay) {
  const std::string path = separated("--add-gnu-debuglink=kept.debug --remove-section=.note.gnu.build-id");
  const auto offset = offsets_of(path).at("inlined");
  fs::remove(folder_ / "kept.debug");
  ASSERT_EQ(::mkfifo((folder_ / "kept.debug").c_str(), 0600), 0);
  LookUpOptions options;
  options.time_limit = std::chrono::milliseconds(300);
  const auto began = std::chrono::steady_clock::now();
  EXPECT_TRUE(look_up({path, ""}, std::array{offset}, options).frames.at(0).empty());
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(10));
}

}  // namespace
}  // namespace coalescope::symbols
