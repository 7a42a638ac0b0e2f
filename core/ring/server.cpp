#include "core/ring/server.h"

#include <algorithm>
#include <utility>

namespace coalescope::ring {
namespace {

// As many processes may begin to record between two steps: a few, and more after all were taken. A ring costs
// next to nothing until it is used.
constexpr std::size_t kFewestOnOffer = 8;
constexpr std::size_t kMostOnOffer = 256;

}  // namespace

void Server::offer_rings() {
  if (offered_.empty()) wanted_ = std::clamp(2 * wanted_, kFewestOnOffer, kMostOnOffer);
  if (parts_.empty()) wanted_ = kFewestOnOffer;
  for (std::size_t slot = 0; slot < kMostRings && offered_.size() < wanted_; ++slot) {
    if (offered_.contains(slot) || parts_.contains(slot)) continue;
    auto ring = Segment::create(kRingSegmentBytes);
    if (!ring) return;  // none is to be had now: who needs one waits for a while
    control_.offer(slot, ring->id());
    offered_.emplace(slot, std::move(*ring));
  }
}

bool Server::take_claimed() {
  bool found = false;
  for (auto each = offered_.begin(); each != offered_.end();) {
    if (!control_.is_claimed(each->first)) {
      ++each;
      continue;
    }
    parts_.emplace(each->first, std::make_unique<PartWriter>(std::move(each->second), folder_));
    each = offered_.erase(each);
    found = true;
  }
  return found;
}

bool Server::serve() {
  bool found = false;
  for (auto each = parts_.begin(); each != parts_.end();) {
    PartWriter& part = *each->second;
    // Asked before the last look, so that nothing comes after it.
    const bool gone = part.process_is_gone();
    found |= part.step();
    // A part may take a while: many processes that begin at once must not wait for all of them.
    welcome();
    if (!gone) {
      ++each;
      continue;
    }
    part.finish();
    control_.clear(each->first);
    each = parts_.erase(each);
  }
  return found;
}

bool Server::welcome() {
  control_.beat();
  const bool found = take_claimed();
  offer_rings();
  return found;
}

bool Server::step() {
  const bool found = welcome();
  return serve() || found;
}

void Server::finish() {
  control_.close();
  take_claimed();
  for (auto& [slot, part] : parts_) {
    control_.beat();
    part->finish();
  }
  parts_.clear();
}

}  // namespace coalescope::ring
