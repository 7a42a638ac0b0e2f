#include "injection/cupti/buffer_size.h"

#include <gtest/gtest.h>

namespace coalescope::cupti {
namespace {

using namespace std::chrono_literals;

class Requests {
 public:
  std::size_t after(std::chrono::milliseconds pause) { return size_.next(now_ += pause); }

 private:
  BufferSize size_;
  BufferSize::Time now_{1h};
};

TEST(BufferSize, FewRecordsGetTheLeast) {
  Requests requests;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(requests.after(500ms), BufferSize::kLeast);
}

TEST(BufferSize, ManyRecordsGetTheMost) {
  Requests requests;
  (void)requests.after(0ms);
  EXPECT_EQ(requests.after(1ms), 2 * BufferSize::kLeast);
  EXPECT_EQ(requests.after(1ms), 4 * BufferSize::kLeast);
  for (int i = 0; i < 20; ++i) (void)requests.after(1ms);
  EXPECT_EQ(requests.after(1ms), BufferSize::kMost);
}

TEST(BufferSize, BuffersThatFillInTimeStayAsTheyAre) {
  Requests requests;
  (void)requests.after(0ms);
  const auto size = requests.after(1ms);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(requests.after(250ms), size);
}

TEST(BufferSize, AProgramThatSlowsDownGetsSmallerOnes) {
  Requests requests;
  for (int i = 0; i < 20; ++i) (void)requests.after(1ms);
  for (int i = 0; i < 20; ++i) (void)requests.after(1s);
  EXPECT_EQ(requests.after(1s), BufferSize::kLeast);
}

}  // namespace
}  // namespace coalescope::cupti
