#include "injection/recorder/thread_table.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <thread>

namespace coalescope::recorder {
namespace {

struct Entry {
  int value = 0;
};
using Table = ThreadTable<Entry, 1 << 12>;

TEST(ThreadTable, KeepsWhatAThreadPutThereAndShowsItToNoOther) {
  Table::find(7)->value = 1;
  std::thread([] {
    EXPECT_EQ(Table::find(7)->value, 0);
    Table::find(7)->value = 2;
  }).join();
  EXPECT_EQ(Table::find(7)->value, 1);
  EXPECT_EQ(Table::find(7 + (1 << 12)), Table::find(7));
  EXPECT_NE(Table::find(8), Table::find(7));
}

// Keys' destructors run in the order in which the keys were made. AddressSanitizer sees what is used after it
// was freed, LeakSanitizer what is not freed.
TEST(ThreadTable, IsThereForWhatAThreadLaunchesAtItsVeryEnd) {
  static int at_the_end = -1;
  (void)Table::find(0);
  pthread_key_t later{};
  ASSERT_EQ(pthread_key_create(&later, [](void*) { at_the_end = Table::find(3)->value; }), 0);
  std::thread([&] {
    Table::find(3)->value = 5;
    ASSERT_EQ(pthread_setspecific(later, &later), 0);
  }).join();
  EXPECT_EQ(at_the_end, 0);
  pthread_key_delete(later);
}

}  // namespace
}  // namespace coalescope::recorder
