#include "core/symbols/frame_codec.h"

#include <gtest/gtest.h>

namespace coalescope::symbols {
namespace {

const Frames kFrames{{.symbol = "_Z1fv", .file = "/src/f.cpp", .line = 7, .column = 3, .is_inlined = true},
                     {.symbol = "main", .file = {}, .line = {}, .column = {}}};

TEST(FrameCodec, GivesBackWhatItTook) {
  const std::string bytes = encode_frames(kFrames) + encode_frames({}) + encode_frames({Frame{}});
  std::string_view rest = bytes;
  EXPECT_EQ(decode_frames(rest), kFrames);
  EXPECT_EQ(decode_frames(rest), Frames{});
  EXPECT_EQ(decode_frames(rest), Frames{Frame{}});
  EXPECT_TRUE(rest.empty());
}

TEST(FrameCodec, AnAnswerThatIsCutOffIsNone) {
  const std::string bytes = encode_frames(kFrames);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    std::string_view rest(bytes.data(), size);
    EXPECT_EQ(decode_frames(rest), std::nullopt) << size;
  }
}

TEST(FrameCodec, ANameThatIsTooLongIsMissing) {
  const std::string bytes =
      encode_frames({{.symbol = std::string(1 << 20, 'x'), .file = {}, .line = 1, .column = {}}});
  std::string_view rest = bytes;
  const auto frames = decode_frames(rest);
  ASSERT_TRUE(frames);
  EXPECT_EQ(frames->at(0).symbol, std::nullopt);
  EXPECT_EQ(frames->at(0).line, 1);
}

}  // namespace
}  // namespace coalescope::symbols
