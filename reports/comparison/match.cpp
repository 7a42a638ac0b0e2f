#include "reports/comparison/match.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

#include "core/base/demangle.h"
#include "core/base/whole.h"
#include "reports/analysis/figures/declaration.h"
#include "reports/analysis/figures/names.h"
#include "reports/analysis/view/view.h"
#include "reports/comparison/change.h"

namespace coalescope::comparison {
namespace {

using analysis::is_digit;
using analysis::KernelFamily;
using analysis::KernelRow;
using analysis::Report;

// Native stacks end in the host's stub of the kernel, which bears its name: that goes.
std::string caller_of(const KernelFamily& family, const KernelRow& row) {
  constexpr std::string_view kBetween = " > ";
  std::string site = without_lines(row.call_site.value_or(""));
  const std::size_t last = site.rfind(kBetween);
  if (last == std::string::npos) return site;
  const std::string_view innermost = std::string_view(site).substr(last + kBetween.size());
  if (innermost.starts_with(base_name(function_of(family.full_name)) + " ")) site.resize(last);
  return site;
}

class Matcher {
 public:
  Matcher(const Report& before, const Report& after)
      : before_(before),
        after_(after),
        before_rows_(analysis::kernels_by_id(before)),
        after_rows_(analysis::kernels_by_id(after)) {
    for (std::size_t i = 0; i < before.kernel_families.size(); ++i) before_left_.push_back(i);
    for (std::size_t i = 0; i < after.kernel_families.size(); ++i) after_left_.push_back(i);
  }

  std::vector<FamilyPair> pairs();

 private:
  using Key = std::tuple<std::string, std::string, std::array<std::int64_t, 3>, std::array<std::int64_t, 3>,
                         std::int64_t>;
  // An empty key takes no part.
  using KeyOf = std::function<Key(const KernelFamily&, const KernelRow&)>;

  // In a step that is not unique, kernels of one key pair in their order: compilers at run time give many
  // functions one name.
  void step(Match match, bool unique, const KeyOf& key_of);
  [[nodiscard]] std::map<Key, std::vector<std::size_t>> keys_of(const Report& report, const Rows& rows,
                                                                const std::vector<std::size_t>& left,
                                                                const KeyOf& key_of) const;

  const Report &before_, &after_;
  Rows before_rows_, after_rows_;
  std::vector<std::size_t> before_left_, after_left_;
  std::vector<FamilyPair> pairs_;
};

std::map<Matcher::Key, std::vector<std::size_t>> Matcher::keys_of(const Report& report, const Rows& rows,
                                                                  const std::vector<std::size_t>& left,
                                                                  const KeyOf& key_of) const {
  std::map<Key, std::vector<std::size_t>> keys;
  for (const std::size_t place : left) {
    const auto& family = report.kernel_families[place];
    const auto row = family.kernel_ids.empty() ? rows.end() : rows.find(family.kernel_ids.front());
    if (row == rows.end()) continue;
    if (Key key = key_of(family, *row->second); !std::get<0>(key).empty())
      keys[std::move(key)].push_back(place);
  }
  return keys;
}

void Matcher::step(Match match, bool unique, const KeyOf& key_of) {
  const auto after_keys = keys_of(after_, after_rows_, after_left_, key_of);
  for (const auto& [key, before] : keys_of(before_, before_rows_, before_left_, key_of)) {
    const auto found = after_keys.find(key);
    if (found == after_keys.end()) continue;
    const auto& after = found->second;
    if (unique && (before.size() != 1 || after.size() != 1)) continue;
    for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
      pairs_.push_back({match, before[i], after[i]});
      std::erase(before_left_, before[i]);
      std::erase(after_left_, after[i]);
    }
  }
}

std::vector<FamilyPair> Matcher::pairs() {
  constexpr std::array<std::int64_t, 3> kAny{};
  step(Match::same, false, [&](const KernelFamily& family, const KernelRow&) {
    return Key{function_of(family.full_name), "", family.block, kAny, 0};
  });
  step(Match::other_block, true, [&](const KernelFamily& family, const KernelRow&) {
    return Key{function_of(family.full_name), "", kAny, kAny, 0};
  });
  step(Match::other_arguments, true, [&](const KernelFamily& family, const KernelRow& row) {
    return Key{base_name(function_of(family.full_name)), caller_of(family, row), family.block, row.grid, 0};
  });
  // Kernels of a library have many instances, and only the call tells which stands for which.
  step(Match::other_arguments, true, [&](const KernelFamily& family, const KernelRow& row) {
    const bool by_name = row.origin == analysis::Origin::user;
    const std::string where = caller_of(family, row);
    return Key{by_name || !where.empty() ? base_name(function_of(family.full_name)) : "", where, kAny, kAny,
               0};
  });
  // Another build may inline the callers.
  step(Match::other_arguments, true, [&](const KernelFamily& family, const KernelRow& row) {
    const bool own = row.origin == analysis::Origin::user;
    return Key{own ? base_name(function_of(family.full_name)) : "", "", kAny, kAny, 0};
  });
  step(Match::renamed, true, [&](const KernelFamily& family, const KernelRow& row) {
    return Key{caller_of(family, row), "", family.block, row.grid, family.launches};
  });
  // A repair often gives the kernel another grid, too.
  step(Match::renamed, true, [&](const KernelFamily& family, const KernelRow& row) {
    return Key{caller_of(family, row), "", kAny, kAny, family.launches};
  });
  // One that is gone and one that is new, both the author's and launched as often.
  step(Match::renamed, true, [&](const KernelFamily& family, const KernelRow& row) {
    const bool own = row.origin == analysis::Origin::user && row.call_site.value_or("").empty();
    return Key{own ? "?" : "", "", kAny, kAny, family.launches};
  });
  for (const std::size_t place : before_left_) pairs_.push_back({Match::only_before, place, std::nullopt});
  for (const std::size_t place : after_left_) pairs_.push_back({Match::only_after, std::nullopt, place});
  return std::move(pairs_);
}

// By variant, of several processes in the order in which these began.
using Shape = std::map<std::int64_t, RowPair::Side>;
using ShapeKey = std::tuple<std::array<std::int64_t, 3>, std::int64_t>;
std::map<ShapeKey, Shape> shapes_of(const Rows& rows_by_id, const KernelFamily& family) {
  std::map<ShapeKey, Shape> shapes;
  for (const std::int64_t id : family.kernel_ids)
    if (const auto found = rows_by_id.find(id); found != rows_by_id.end()) {
      const KernelRow& row = *found->second;
      shapes[{row.grid, row.dynamic_shared_bytes}][row.variant.value_or(0)].push_back(&row);
    }
  for (auto& [key, shape] : shapes)
    for (auto& [variant, rows] : shape) std::ranges::stable_sort(rows, {}, &KernelRow::process_id);
  return shapes;
}

// Variants have their numbers from the order in which they come.
bool same_variants(const Shape& before, const Shape& after) {
  return std::ranges::equal(before, after, [](const auto& one, const auto& other) {
    const auto launches = static_cast<double>(launches_of(one.second));
    return one.first == other.first &&
           judge(launches, static_cast<double>(launches_of(other.second)), kCountedNoise) == Judgement::same;
  });
}

RowPair::Side all_of(const Shape& shape) {
  RowPair::Side all;
  for (const auto& [variant, rows] : shape) all.insert(all.end(), rows.begin(), rows.end());
  return all;
}

// The same work in other blocks: as many shapes, each launched as often.
std::vector<RowPair> pairs_by_launches(const Rows& before, const KernelFamily& before_family,
                                       const Rows& after, const KernelFamily& after_family) {
  if (before_family.kernel_ids.size() != after_family.kernel_ids.size()) return {};
  std::vector<RowPair> pairs;
  for (std::size_t i = 0; i < before_family.kernel_ids.size(); ++i) {
    pairs.push_back({{before.at(before_family.kernel_ids[i])}, {after.at(after_family.kernel_ids[i])}});
    if (launches_of(pairs.back().before) != launches_of(pairs.back().after)) return {};
  }
  return pairs;
}

}  // namespace

std::vector<FamilyPair> match_families(const Report& before, const Report& after) {
  return Matcher(before, after).pairs();
}

std::int64_t launches_of(const RowPair::Side& side) {
  std::int64_t launches = 0;
  for (const KernelRow* row : side) base::add_to(launches, row->launches);
  return launches;
}

std::vector<RowPair> match_rows(const Rows& before, const KernelFamily& before_family, const Rows& after,
                                const KernelFamily& after_family) {
  std::vector<RowPair> pairs;
  const auto after_shapes = shapes_of(after, after_family);
  for (const auto& [key, shape] : shapes_of(before, before_family)) {
    const auto found = after_shapes.find(key);
    if (found == after_shapes.end()) continue;
    const bool is_one = shape.size() == 1 && found->second.size() == 1;
    if (!is_one && !same_variants(shape, found->second)) {
      pairs.push_back({all_of(shape), all_of(found->second)});
      continue;
    }
    auto others = found->second.begin();
    for (const auto& [variant, rows] : shape) {
      const RowPair::Side& other = (others++)->second;
      for (std::size_t i = 0; i < std::min(rows.size(), other.size()); ++i)
        pairs.push_back({{rows[i]}, {other[i]}});
    }
  }
  return pairs.empty() ? pairs_by_launches(before, before_family, after, after_family) : pairs;
}

std::string function_of(const std::string& full_name) {
  if (!full_name.starts_with("__nv_static_")) return full_name;
  const std::size_t mangled = full_name.find("__Z");
  return mangled == std::string::npos ? full_name : base::demangle(full_name.substr(mangled + 1));
}

std::string base_name(std::string_view declaration) {
  std::string name = analysis::short_function_name(declaration);
  const std::size_t digits =
      name.size() - static_cast<std::size_t>(std::ranges::find_if_not(name.rbegin(), name.rend(), is_digit) -
                                             name.rbegin());
  if (digits < name.size() && digits > 1 && name[digits - 1] == '_') name.resize(digits - 1);
  return name;
}

std::string without_lines(std::string_view call_site) {
  std::string text;
  for (std::size_t at = 0; at < call_site.size(); ++at) {
    if (call_site[at] == ':' && at + 1 < call_site.size() && is_digit(call_site[at + 1]))
      while (at + 1 < call_site.size() && is_digit(call_site[at + 1])) ++at;
    else
      text += call_site[at];
  }
  return text;
}

}  // namespace coalescope::comparison
