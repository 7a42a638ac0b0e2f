#include "injection/recorder/thread_table.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <thread>

namespace coalescope::recorder {
namespace {

struct Entry {
  int value = 0;
};
// With one place an entry's hash says where it is.
using Table = ThreadTable<Entry, 1 << 12, 1>;
Entry* find(std::uint64_t hash) {
  return Table::find(hash, [](const Entry&) { return true; });
}

TEST(ThreadTable, KeepsWhatAThreadPutThereAndShowsItToNoOther) {
  find(7)->value = 1;
  std::thread([] {
    EXPECT_EQ(find(7)->value, 0);
    find(7)->value = 2;
  }).join();
  EXPECT_EQ(find(7)->value, 1);
  EXPECT_EQ(find(7 + (1 << 12)), find(7));
  EXPECT_NE(find(8), find(7));
}

TEST(ThreadTable, TwoWithOnePlaceBothStayUntilAThirdComes) {
  using Pairs = ThreadTable<Entry, 8, 2>;
  const auto put = [](int value) {
    return Pairs::find(5, [value](const Entry& each) { return each.value == value; });
  };
  put(1)->value = 1;
  put(2)->value = 2;
  EXPECT_EQ(put(1)->value, 1);
  EXPECT_EQ(put(2)->value, 2);
  put(3)->value = 3;
  EXPECT_EQ(put(3)->value, 3);
  EXPECT_NE(put(1)->value == 1, put(2)->value == 2) << "one of them was replaced";
}

// Keys' destructors run in the order in which the keys were made. AddressSanitizer sees what is used after it
// was freed, LeakSanitizer what is not freed.
TEST(ThreadTable, IsThereForWhatAThreadLaunchesAtItsVeryEnd) {
  static int at_the_end = -1;
  (void)find(0);
  pthread_key_t later{};
  ASSERT_EQ(pthread_key_create(&later, [](void*) { at_the_end = find(3)->value; }), 0);
  std::thread([&] {
    find(3)->value = 5;
    ASSERT_EQ(pthread_setspecific(later, &later), 0);
  }).join();
  EXPECT_EQ(at_the_end, 0);
  pthread_key_delete(later);
}

}  // namespace
}  // namespace coalescope::recorder
