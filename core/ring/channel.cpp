#include "core/ring/channel.h"

namespace coalescope::ring {
namespace {

// In cuInit of the program. Only when hundreds of processes begin at once does it come to that.
constexpr std::chrono::seconds kClaimPatience{5};

}  // namespace

base::Result<std::unique_ptr<Channel>> Channel::open(const std::string& control, const std::string& stem) {
  auto attached = Control::attach(control);
  if (!attached) return base::relay(attached);
  auto ring = attached->claim(kClaimPatience);
  if (!ring) return base::relay(ring);
  std::unique_ptr<Channel> channel(new Channel(std::move(*attached), std::move(*ring)));
  if (!channel->ring_.push(FrameKind::begin, std::as_bytes(std::span(stem)), kClaimPatience))
    return base::failure(base::ErrorCode::failed, "coalescope had ended when this process began to record");
  return channel;
}

}  // namespace coalescope::ring
