#include "core/capture/recognise.h"

#include <gtest/gtest.h>

#include "core/capture/captures_test.h"

namespace coalescope::capture {
namespace {

TEST(IsCapture, KnowsOneByItsHeader) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.coal");
  write_part(path, 1000, "kernel");
  EXPECT_TRUE(is_capture(path));
  set_content(path, content(path).substr(0, 100));
  EXPECT_TRUE(is_capture(path)) << "damaged";
}

TEST(IsCapture, RefusesEverythingElse) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.coal");
  EXPECT_FALSE(is_capture(path));
  EXPECT_FALSE(is_capture(folder.path()));
  set_content(path, "my notes");
  EXPECT_FALSE(is_capture(path));
  auto other = Database::create(folder.file("other.db"));
  ASSERT_TRUE(other);
  expect_done(other->execute("CREATE TABLE t (a INTEGER)"));
  EXPECT_FALSE(is_capture(folder.file("other.db")));
}

}  // namespace
}  // namespace coalescope::capture
