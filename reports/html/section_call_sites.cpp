// Who called: the author's own frames as a tree, with the GPU time of all that was called on their behalf.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <memory>

#include "core/base/units.h"
#include "reports/analysis/rows/call_stacks.h"
#include "reports/html/sections.h"
#include "reports/html/values.h"

namespace coalescope::html {
namespace {

using analysis::CallSiteRow;
using analysis::Report;

// Below this share of the GPU time and of the waiting a branch is left out, and after so many there is no
// room for more.
constexpr double kLeastShare = 0.005;
constexpr std::size_t kMostNodes = 150;
// Branches deeper than this are folded when the page is opened.
constexpr int kOpenDepth = 3;

struct Node {
  std::int64_t gpu_ns = 0, wait_ns = 0;
  std::map<std::string, std::unique_ptr<Node>> children;
};

Node tree_of(const Report& report) {
  Node root;
  const analysis::CallStacks stacks(report.call_sites);
  for (const CallSiteRow& site : report.call_sites) {
    const std::int64_t gpu_ns = site.exclusive.kernel_ns + site.exclusive.transfer_ns;
    if (gpu_ns == 0 && site.exclusive.wait_ns == 0) continue;
    auto frames = stacks.stack(site.id);
    std::ranges::reverse(frames);
    const bool any_own = std::ranges::any_of(frames, [](const auto* frame) { return frame->own; });
    Node* node = &root;
    root.gpu_ns += gpu_ns;
    root.wait_ns += site.exclusive.wait_ns;
    // Of a stack without any only the innermost frame with a line is shown.
    if (!any_own && !frames.empty()) frames = {stacks.own_frame(site.id)};
    for (const auto* frame : frames) {
      if (any_own && !frame->own) continue;
      auto& child = node->children[frame_text(*frame)];
      if (child == nullptr) child = std::make_unique<Node>();
      node = child.get();
      node->gpu_ns += gpu_ns;
      node->wait_ns += site.exclusive.wait_ns;
    }
  }
  return root;
}

Html label(const std::string& name, const Node& node, std::int64_t whole) {
  const double share =
      static_cast<double>(node.gpu_ns) / static_cast<double>(std::max<std::int64_t>(whole, 1));
  Html time = base::format_ns(node.gpu_ns);
  time << bar(share);
  Html text = element("span", {{"class", "time"}}, time);
  text << element("code", name);
  if (node.wait_ns > 0)
    text << element("small", unbroken(fmt::format("{} of waiting", base::format_ns(node.wait_ns))));
  return text;
}

bool is_notable(const Node& node, const Node& root) {
  const auto reaches = [](std::int64_t part, std::int64_t whole) {
    return whole > 0 && static_cast<double>(part) >= kLeastShare * static_cast<double>(whole);
  };
  return reaches(node.gpu_ns, root.gpu_ns) || reaches(node.wait_ns, root.wait_ns);
}

void add_to(Node& sum, const Node& node, int times) {
  sum.gpu_ns += times * node.gpu_ns;
  sum.wait_ns += times * node.wait_ns;
}

// The costliest first.
Html branches(const Node& node, const Node& root, int depth, std::size_t& left) {
  std::vector<std::pair<const std::string*, const Node*>> order;
  for (const auto& [name, child] : node.children)
    if (is_notable(*child, root)) order.emplace_back(&name, child.get());
  std::ranges::stable_sort(order, std::greater{}, [](const auto& each) { return each.second->gpu_ns; });
  Html items;
  Node others;  // what is not shown of them
  std::size_t shown = 0;
  for (const auto& [name, child] : node.children) add_to(others, *child, 1);
  for (const auto& [name, child] : order) {
    if (left == 0) break;
    --left;
    ++shown;
    add_to(others, *child, -1);
    const Html below = branches(*child, root, depth + 1, left);
    if (below.empty()) {
      items << element("li", label(*name, *child, root.gpu_ns));
      continue;
    }
    Html folded = element("summary", label(*name, *child, root.gpu_ns));
    folded << below;
    items << element(
        "li", depth < kOpenDepth ? element("details", {{"open", ""}}, folded) : element("details", folded));
  }
  if (shown > 0 && others.gpu_ns > 0)
    items << element("li",
                     label(analysis::counted(std::ssize(node.children) - static_cast<std::ptrdiff_t>(shown),
                                             "other call", "other calls"),
                           others, root.gpu_ns));
  return items.empty() ? Html{} : element("ul", {{"class", "calls"}}, items);
}

// Where not every call's stack led to a frame.
std::string coverage_text(std::int64_t shown_ns, std::int64_t all_ns) {
  if (all_ns <= 0 || static_cast<double>(all_ns - shown_ns) < kLeastShare * static_cast<double>(all_ns))
    return {};
  return fmt::format(" Callers are known of {} of the {} of GPU time.", base::format_ns(shown_ns),
                     base::format_ns(all_ns));
}

}  // namespace

Html call_sites_section(const Report& report) {
  if (report.call_sites.empty()) return {};
  Node root = tree_of(report);
  const std::int64_t shown_ns = root.gpu_ns, all_ns = analysis::run_ns(report.totals);
  root.gpu_ns = std::max(shown_ns, all_ns);  // what the bars are of
  std::size_t left = kMostNodes;
  const Html tree = branches(root, root, 0, left);
  if (tree.empty()) return {};
  Html content = paragraph(unbroken(
      "The program's own frames, from the outermost to the call that led to CUDA, with the GPU time of "
      "kernels and transfers below them, and how long the host waited for the GPU there. Frames of packages "
      "and libraries are left out. If a stack has no "
      "other frame, its innermost frame with a line is shown. The time of launches whose stack was not "
      "recorded is shared out in the same proportions." +
      coverage_text(shown_ns, all_ns)));
  content << tree;
  return section("calls", "Call sites", content);
}

}  // namespace coalescope::html
