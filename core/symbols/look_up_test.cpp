#include "core/symbols/look_up_test.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/base/scope_exit.h"

namespace coalescope::symbols {
namespace {

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
    const auto lambda = one(program(variant), offsets.at("lambda"));
    ASSERT_EQ(lambda.size(), 2U);
    expect_line(lambda[0], "innermost");
    EXPECT_NE(function_name(lambda[1]).find("places::(anonymous namespace)::local()::{lambda"),
              std::string::npos);
    expect_line(lambda[1], "lambda");
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

std::string build_id_of(const std::string& path) {
  const std::string notes = output_of("readelf -n '" + path + "'");
  const auto at = notes.find("Build ID: ") + 10;
  const std::string id = notes.substr(at, notes.find_first_not_of("0123456789abcdef", at) - at);
  EXPECT_GT(id.size(), 8U);
  return id;
}

TEST_F(LookUpTest, FindsTheDebugFileByItsBuildId) {
  const std::string path = separated();
  const auto offset = offsets_of(path).at("inlined");
  EXPECT_EQ(one(path, offset).size(), 1U);
  const std::string id = build_id_of(path);
  const fs::path place = folder_ / "debug/.build-id" / id.substr(0, 2);
  fs::create_directories(place);
  fs::rename(folder_ / "kept.debug", place / (id.substr(2) + ".debug"));
  expect_chain(one(path, offset));
  expect_chain(one(path, offset, id));
  EXPECT_TRUE(one(path, offset, "00" + id.substr(2)).empty()) << "it was built anew since";
  fs::copy_file(program("dwarf4"), path, fs::copy_options::overwrite_existing);
  expect_chain(one(path, offset, id));
  fs::remove(path);
  expect_chain(one(path, offset, id));
}

TEST_F(LookUpTest, SaysThatAFileWasReplaced) {
  const std::string path = folder_ / "program";
  fs::copy_file(program("dwarf5"), path);
  const auto offset = offsets_of(path).at("inlined");
  const std::string id = build_id_of(path);
  EXPECT_FALSE(look_up({path, id}, std::array{offset}).replaced);
  EXPECT_FALSE(look_up({path, ""}, std::array{offset}).replaced);
  EXPECT_FALSE(look_up({folder_ / "none", id}, std::array{offset}).replaced) << "it is gone";
  fs::copy_file(program("dwarf4"), path, fs::copy_options::overwrite_existing);
  const auto found = look_up({path, id}, std::array{offset});
  EXPECT_TRUE(found.replaced);
  EXPECT_TRUE(found.frames.at(0).empty());
}

// To unpack its debug information takes longer than all else, and nobody wants its lines.
TEST_F(LookUpTest, OfTheCLibraryTheSymbolTableTells) {
  const std::string path = folder_ / "libc.so.6";
  fs::copy_file(program("dwarf5"), path);
  const auto frames = one(path, offsets_of(path).at("inlined"));
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0], (Frame{.symbol = "_ZN6places9outermostEv", .file = {}, .line = {}, .column = {}}));
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
                                                                 ~std::uint64_t{0}, offsets.at("inlined")})
                         .frames;
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0].size(), 1U);
  EXPECT_TRUE(found[1].empty());
  EXPECT_TRUE(found[2].empty());
  expect_chain(found[3]);
}

}  // namespace
}  // namespace coalescope::symbols
