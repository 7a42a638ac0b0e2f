#include "core/ring/function_names.h"

#include <dlfcn.h>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/capture/captures_test.h"

namespace coalescope::ring {

// Outside of the anonymous namespace, so that its name does not depend on the file.
__attribute__((noinline)) int a_function_of_this_program(int number) {
  asm volatile("" : "+r"(number));
  return number + 1;
}

namespace {

using ::testing::HasSubstr;

std::uint64_t offset_of_this() {
  Dl_info info{};
  EXPECT_NE(::dladdr(reinterpret_cast<const void*>(&a_function_of_this_program), &info), 0);
  return reinterpret_cast<std::uint64_t>(&a_function_of_this_program) -
         reinterpret_cast<std::uint64_t>(info.dli_fbase);
}

std::string this_program() {
  return std::filesystem::read_symlink("/proc/self/exe");
}

// This program does not export its functions: their names come from its own symbol table.
TEST(FunctionNames, FindsAFunctionByAnAddressInIt) {
  EXPECT_THAT(find_function(this_program(), offset_of_this() + 1).value_or(""),
              HasSubstr("a_function_of_this_program"));
  EXPECT_EQ(find_function(this_program(), 0), std::nullopt);
}

TEST(FunctionNames, SurvivesWhatIsNoProgram) {
  const capture::TemporaryFolder folder;
  ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);
  for (const std::string& path : {std::string("/etc/passwd"), std::string("/does/not/exist"),
                                  std::string("/tmp"), std::string("/dev/zero"), folder.file("pipe")})
    EXPECT_EQ(find_function(path, 10), std::nullopt) << path;
}

TEST(FunctionNames, SurvivesAProgramThatIsCutOff) {
  const capture::TemporaryFolder folder;
  const std::string whole = capture::content(this_program());
  for (const std::size_t length :
       {std::size_t{20}, std::size_t{64}, std::size_t{5000}, whole.size() / 2, whole.size() - 1}) {
    capture::set_content(folder.file("cut"), whole.substr(0, length));
    (void)find_function(folder.file("cut"), offset_of_this());
  }
}

}  // namespace
}  // namespace coalescope::ring
