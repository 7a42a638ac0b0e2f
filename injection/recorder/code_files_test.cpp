#include "injection/recorder/code_files.h"

#include <array>
#include <gnu/libc-version.h>
#include <gtest/gtest.h>

namespace coalescope::recorder {
namespace {

constexpr std::array<char, 4> kImage{};
constexpr std::uint64_t kLibrary = 1, kModule = 2, kKernel = 3, kFunction = 4;

TEST(CodeSource, IsTheFileThatHoldsTheCode) {
  const CodeSource own = code_source(kImage.data());
  ASSERT_TRUE(own.file);
  EXPECT_TRUE(own.file->ends_with("_test")) << *own.file;
  EXPECT_EQ(own.loader, std::nullopt);
  // A function that sanitizers do not replace by their own.
  const CodeSource others = code_source(reinterpret_cast<const void*>(&gnu_get_libc_version));
  ASSERT_TRUE(others.file);
  EXPECT_NE(others.file->find("/libc.so"), std::string::npos) << *others.file;
}

TEST(CodeSource, IsTheCallerWhereNoFileHoldsIt) {
  const std::string image(100'000, 'x');
  const CodeSource source = code_source(image.data());
  EXPECT_EQ(source.file, std::nullopt);
  EXPECT_EQ(source.loader, code_source(kImage.data()).file);
}

TEST(CodeFiles, PartsOfPartsHaveTheFileOfTheWhole) {
  CodeFiles files;
  files.loaded(kLibrary, {"/lib/a.so", std::nullopt});
  files.found_part(kKernel, kLibrary);
  files.found_part(kFunction, kKernel);
  files.found_part(kModule, kLibrary);
  for (const auto handle : {kLibrary, kModule, kKernel, kFunction})
    EXPECT_EQ(files.source_of(handle).value_or(CodeSource{}).file, "/lib/a.so") << handle;
  EXPECT_FALSE(files.source_of(99));
}

TEST(CodeFiles, AHandleThatIsUsedAgainMeansTheNewCode) {
  CodeFiles files;
  files.loaded(kModule, {"/lib/a.so", std::nullopt});
  files.found_part(kFunction, kModule);
  files.unloaded(kModule);
  EXPECT_FALSE(files.source_of(kModule));
  EXPECT_FALSE(files.source_of(kFunction));
  files.loaded(kModule, {std::nullopt, "/bin/program"});
  files.found_part(kFunction, kModule);
  EXPECT_EQ(files.source_of(kFunction).value_or(CodeSource{}).loader, "/bin/program");
}

TEST(CodeFiles, APartOfUnknownCodeIsUnknown) {
  CodeFiles files;
  files.found_part(kFunction, kModule);
  EXPECT_FALSE(files.source_of(kFunction));
}

}  // namespace
}  // namespace coalescope::recorder
