#pragma once
// Attention whose scores pass through memory, told by the order of launches on a stream.

#include <cstdint>
#include <utility>
#include <vector>

#include "reports/analysis/rows/chain_steps.h"

namespace coalescope::analysis {

// What attention runs on its scores, between the matrix product that computes them and the one that uses
// them. Operations on others, such as copies of its operands, may run in between.
class Attention {
 public:
  // After a matrix product: what it has seen since the one before; empty: no attention.
  std::vector<std::int32_t> product() {
    std::vector<std::int32_t> seen = has_softmax_ ? std::move(groups_) : std::vector<std::int32_t>();
    groups_.clear();
    follows_product_ = true;
    has_softmax_ = false;
    return seen;
  }
  void other() { *this = Attention(); }
  void operation(std::int32_t group, const std::vector<ChainStep>& steps) {
    const ChainStep& step = steps[static_cast<std::size_t>(group)];
    if (!follows_product_ || (step.softmax && has_softmax_)) return other();
    if (has_softmax_ && !is_of_scores(step)) return;
    groups_.push_back(group);
    if (!step.softmax) return;
    has_softmax_ = true;
    scores_bytes_ = step.load_bytes;
    std::erase_if(groups_,
                  [&](std::int32_t each) { return !is_of_scores(steps[static_cast<std::size_t>(each)]); });
  }

 private:
  [[nodiscard]] bool is_of_scores(const ChainStep& step) const {
    return step.store_bytes > 0 && step.store_bytes <= kMostByType * scores_bytes_ &&
           scores_bytes_ <= kMostByType * step.store_bytes &&
           step.load_bytes >= step.store_bytes / kMostByType;
  }

  bool follows_product_ = false, has_softmax_ = false;
  double scores_bytes_ = 0;
  std::vector<std::int32_t> groups_;
};

}  // namespace coalescope::analysis
