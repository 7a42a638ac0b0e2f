#include "core/symbols/look_up.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <netinet/in.h>
#include <random>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/scope_exit.h"

namespace coalescope::symbols {
namespace {

namespace fs = std::filesystem;
using Offsets = std::map<std::string, std::uint64_t>;

std::string program(const std::string& variant) {
  return std::string(COALESCOPE_PLACES_PROGRAMS) + "/" + variant + "/program";
}

std::string output_of(const std::string& command) {
  std::string text;
  std::FILE* pipe = ::popen(command.c_str(), "r");
  EXPECT_NE(pipe, nullptr);
  for (int letter = 0; (letter = std::fgetc(pipe)) != EOF;) text += static_cast<char>(letter);
  EXPECT_EQ(::pclose(pipe), 0) << command;
  return text;
}

// Where its calls are, as the program says when it runs.
Offsets offsets_of(const std::string& path) {
  std::istringstream lines(output_of("'" + path + "'"));
  Offsets offsets;
  std::string what;
  for (std::uint64_t offset = 0; lines >> what >> std::hex >> offset;) offsets[what] = offset;
  EXPECT_EQ(offsets.size(), 3U);
  return offsets;
}

std::int64_t line_of(const std::string& mark) {
  std::ifstream source(std::string(COALESCOPE_SOURCE_DIR) + "/core/symbols/places_program.cpp");
  std::int64_t number = 0;
  for (std::string line; std::getline(source, line);) {
    ++number;
    if (line.ends_with("// mark: " + mark)) return number;
  }
  ADD_FAILURE() << mark;
  return 0;
}

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class LookUpTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = fs::temp_directory_path() / "coalescope_symbols.XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(folder_); }

  Frames one(const std::string& path, std::uint64_t offset, const std::string& build_id = "") const {
    LookUpOptions options;
    options.debug_root = folder_ / "debug";
    return look_up({path, build_id}, std::array{offset}, options).at(0);
  }
  static void run(const std::string& command) { EXPECT_EQ(std::system(command.c_str()), 0) << command; }

  // The program without debug information; that lies in FOLDER/kept.debug.
  std::string separated(const std::string& flags = "") const {
    const std::string path = folder_ / "program";
    const std::string kept = folder_ / "kept.debug";
    run("cd '" + folder_.string() + "' && objcopy --only-keep-debug '" + program("dwarf5") +
        "' kept.debug && objcopy --strip-debug " + flags + " '" + program("dwarf5") + "' program");
    return path;
  }
  void set_content(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }

  static void expect_line(const Frame& frame, const std::string& mark) {
    EXPECT_EQ(frame.file, std::string(COALESCOPE_SOURCE_DIR) + "/core/symbols/places_program.cpp") << mark;
    EXPECT_EQ(frame.line, line_of(mark)) << mark;
    EXPECT_GT(frame.column.value_or(0), 0) << mark;
  }
  static void expect_chain(const Frames& frames) {
    ASSERT_EQ(frames.size(), 3U);
    EXPECT_EQ(function_name(frames[0]), "places::(anonymous namespace)::innermost");
    EXPECT_EQ(function_name(frames[1]), "places::(anonymous namespace)::Middle::call");
    EXPECT_EQ(frames[2].symbol, "_ZN6places9outermostEv");
    EXPECT_EQ(function_name(frames[2]), "places::outermost");
    expect_line(frames[0], "innermost");
    expect_line(frames[1], "middle");
    expect_line(frames[2], "outermost");
    EXPECT_TRUE(frames[0].is_inlined && frames[1].is_inlined && !frames[2].is_inlined);
  }

  fs::path folder_;
};

// DWARF 4 and 5, compressed or in .dwo files, with addresses from 0 and from elsewhere.
TEST_F(LookUpTest, TellsFunctionsThatWereInlined) {
  for (const char* variant : {"dwarf5", "dwarf4", "split", "split4"}) {
    SCOPED_TRACE(variant);
    const auto offsets = offsets_of(program(variant));
    expect_chain(one(program(variant), offsets.at("inlined")));
    const auto hidden = one(program(variant), offsets.at("hidden"));
    ASSERT_EQ(hidden.size(), 1U);
    EXPECT_EQ(function_name(hidden[0]), "places::(anonymous namespace)::hidden");
    EXPECT_FALSE(hidden[0].is_inlined);
    expect_line(hidden[0], "hidden");
    const auto instance = one(program(variant), offsets.at("template"));
    ASSERT_EQ(instance.size(), 1U);
    EXPECT_EQ(function_name(instance[0]), "places::copy<3>");
    expect_line(instance[0], "template");
  }
}

TEST_F(LookUpTest, FindsTheDebugFileByItsLink) {
  const std::string path = separated("--add-gnu-debuglink=kept.debug");
  const auto offset = offsets_of(path).at("inlined");
  expect_chain(one(path, offset));
  fs::create_directory(folder_ / ".debug");
  fs::rename(folder_ / "kept.debug", folder_ / ".debug/kept.debug");
  expect_chain(one(path, offset));
  const auto below = folder_.string() + "/debug" + folder_.string();
  fs::create_directories(below);
  fs::rename(folder_ / ".debug/kept.debug", below + "/kept.debug");
  expect_chain(one(path, offset));
}

// Whoever replaced it did not build this program.
TEST_F(LookUpTest, AnotherDebugFileTellsNothing) {
  const std::string path = separated("--add-gnu-debuglink=kept.debug --remove-section=.note.gnu.build-id");
  const auto offset = offsets_of(path).at("inlined");
  fs::copy_file(program("dwarf4"), folder_ / "kept.debug", fs::copy_options::overwrite_existing);
  const auto frames = one(path, offset);
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0], (Frame{.symbol = "_ZN6places9outermostEv", .file = {}, .line = {}, .column = {}}));
}

TEST_F(LookUpTest, FindsTheDebugFileByItsBuildId) {
  const std::string path = separated();
  const auto offset = offsets_of(path).at("inlined");
  EXPECT_EQ(one(path, offset).size(), 1U);
  const std::string notes = output_of("readelf -n '" + path + "'");
  const auto at = notes.find("Build ID: ") + 10;
  const std::string id = notes.substr(at, notes.find_first_not_of("0123456789abcdef", at) - at);
  ASSERT_GT(id.size(), 8U);
  const fs::path place = folder_ / "debug/.build-id" / id.substr(0, 2);
  fs::create_directories(place);
  fs::rename(folder_ / "kept.debug", place / (id.substr(2) + ".debug"));
  expect_chain(one(path, offset));
  expect_chain(one(path, offset, id));
  EXPECT_TRUE(one(path, offset, "00" + id.substr(2)).empty()) << "it was built anew since";
}

TEST_F(LookUpTest, WithoutDebugInformationTheSymbolTableTells) {
  const std::string path = separated();
  const auto offsets = offsets_of(path);
  const auto hidden = one(path, offsets.at("hidden"));
  ASSERT_EQ(hidden.size(), 1U);
  EXPECT_EQ(function_name(hidden[0]), "places::(anonymous namespace)::hidden");
  EXPECT_EQ(hidden[0].line, std::nullopt);
}

// What is exported has a name for the loader; nothing is named after its neighbour.
TEST_F(LookUpTest, WithoutASymbolTableThoseOfTheLoaderRemain) {
  const std::string path = folder_ / "stripped";
  run("objcopy --strip-all '" + program("exporting") + "' '" + path + "'");
  const auto offsets = offsets_of(path);
  const auto outermost = one(path, offsets.at("inlined"));
  ASSERT_EQ(outermost.size(), 1U);
  EXPECT_EQ(outermost[0].symbol, "_ZN6places9outermostEv");
  EXPECT_TRUE(one(path, offsets.at("hidden")).empty());
  run("objcopy --strip-all '" + program("dwarf5") + "' '" + path + "'");
  EXPECT_TRUE(one(path, offsets_of(path).at("inlined")).empty());
}

// libdwfl makes up its mind when a program begins; hence one of its own.
TEST_F(LookUpTest, AsksNoServer) {
  const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const base::ScopeExit close_server([&] { ::close(server); });
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(server, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(server, 8), 0);
  ASSERT_EQ(::getsockname(server, reinterpret_cast<sockaddr*>(&address), &size), 0);
  run("DEBUGINFOD_TIMEOUT=2 DEBUGINFOD_CACHE_PATH='" + folder_.string() +
      "' DEBUGINFOD_URLS=http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + " '" +
      fs::read_symlink("/proc/self/exe").string() +
      "' --gtest_brief=1 --gtest_filter=*WithoutDebugInformation* >/dev/null");
  EXPECT_LT(::accept(server, nullptr, nullptr), 0);
}

TEST_F(LookUpTest, AnswersEachOffsetInItsPlace) {
  const auto offsets = offsets_of(program("dwarf5"));
  const auto found = look_up({program("dwarf5"), ""}, std::array{offsets.at("hidden"), std::uint64_t{0},
                                                                 ~std::uint64_t{0}, offsets.at("inlined")});
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0].size(), 1U);
  EXPECT_TRUE(found[1].empty());
  EXPECT_TRUE(found[2].empty());
  expect_chain(found[3]);
}

TEST_F(LookUpTest, SurvivesWhatIsNoProgram) {
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

TEST_F(LookUpTest, SurvivesAProgramThatIsCutOff) {
  const auto offset = offsets_of(program("dwarf5")).at("inlined");
  const std::string whole = content(program("dwarf5"));
  for (std::size_t size = 0; size < whole.size(); size += 4096) {
    set_content("cut", whole.substr(0, size));
    EXPECT_LE(one(folder_ / "cut", offset).size(), 3U);
  }
}

TEST_F(LookUpTest, SurvivesAProgramThatIsDamaged) {
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
TEST_F(LookUpTest, TakesNoLongerThanItMay) {
  const std::string path = separated("--add-gnu-debuglink=kept.debug --remove-section=.note.gnu.build-id");
  const auto offset = offsets_of(path).at("inlined");
  fs::remove(folder_ / "kept.debug");
  ASSERT_EQ(::mkfifo((folder_ / "kept.debug").c_str(), 0600), 0);
  LookUpOptions options;
  options.time_limit = std::chrono::milliseconds(300);
  const auto began = std::chrono::steady_clock::now();
  EXPECT_TRUE(look_up({path, ""}, std::array{offset}, options).at(0).empty());
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(10));
}

}  // namespace
}  // namespace coalescope::symbols
