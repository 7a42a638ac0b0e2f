#include "injection/recorder/group_table.h"

#include <algorithm>
#include <cmath>

#include "core/base/mixed.h"

namespace coalescope::recorder {
namespace {

// A function with more shapes than this is measured over the range of its sizes, not shape by shape.
// Functions of PyTorch have up to 13 in a program.
constexpr std::size_t kFewShapes = 16;
// Some programs make new graphs all the time.
constexpr std::size_t kMostNodes = 1'000'000;
constexpr std::size_t kMostLists = 1'000;

// Two in a class differ by less than the square root of two.
int size_class(const model::KernelGroup& row) {
  const double blocks =
      static_cast<double>(row.grid_x) * static_cast<double>(row.grid_y) * static_cast<double>(row.grid_z);
  return static_cast<int>(2 * std::log2(std::max(blocks, 1.0)));
}

Shape shape_of(const model::KernelGroup& row) {
  return {{row.grid_x, row.grid_y, row.grid_z},
          {row.block_x, row.block_y, row.block_z},
          row.dynamic_shared_bytes};
}

}  // namespace

GroupTable::GroupTable(NewKernel new_kernel, NewGroup new_group, Judge judge)
    : new_kernel_(std::move(new_kernel)), new_group_(std::move(new_group)), judge_(std::move(judge)) {}

std::size_t GroupTable::KeyHash::operator()(const Key& key) const noexcept {
  const auto kernel =
      base::mixed(static_cast<std::uint64_t>(key.kernel), static_cast<std::uint64_t>(key.device));
  return base::mixed(kernel, &key.shape, sizeof key.shape);
}

GroupTable::KernelEntry& GroupTable::kernel_entry(std::string_view name, std::uint64_t layout) {
  auto found = kernels_.find(name);
  if (found == kernels_.end()) found = kernels_.try_emplace(std::string(name)).first;
  auto& same_name = found->second;
  for (KernelEntry& each : same_name) {
    if (layout != 0 && each.layout != 0 && each.layout != layout) continue;
    if (each.layout == 0) each.layout = layout;
    return each;
  }
  model::Kernel row;
  row.id = model::KernelId{++last_kernel_};
  row.process_id = model::ProcessId{1};
  row.name = name;
  new_kernel_(row);
  if (!same_name.empty()) remember_launches();
  return same_name.emplace_back(KernelEntry{row.id, judge_(name), layout});
}

Group& GroupTable::find_or_add(std::string_view kernel_name, std::int32_t device, const Shape& shape,
                               std::uint64_t layout) {
  const std::lock_guard lock(mutex_);
  return group(kernel_name, device, shape, layout);
}

Group& GroupTable::group(std::string_view kernel_name, std::int32_t device, const Shape& shape,
                         std::uint64_t layout) {
  const auto& kernel = kernel_entry(kernel_name, layout);
  const Key key{kernel.id.value, device, shape};
  if (const auto found = index_.find(key); found != index_.end()) return *found->second;

  Group& group = groups_.emplace_back();
  group.row.id = model::GroupId{static_cast<std::int64_t>(groups_.size())};
  group.row.process_id = model::ProcessId{1};
  group.row.device_id = model::DeviceId{device + 1};
  group.row.kernel_id = kernel.id;
  group.row.grid_x = shape.grid[0];
  group.row.grid_y = shape.grid[1];
  group.row.grid_z = shape.grid[2];
  group.row.block_x = shape.block[0];
  group.row.block_y = shape.block[1];
  group.row.block_z = shape.block[2];
  group.row.dynamic_shared_bytes = shape.dynamic_shared_bytes;
  group.reason = kernel.verdict.reason;
  group.may_never_end = kernel.verdict.may_never_end;
  group.begins_timing = kernel.verdict.begins_timing;
  group.found_by_name = kernel.id == kernels_.find(kernel_name)->second.front().id;
  group.satisfied = group.reason != model::CoverageReason::measured;
  new_group_(group.row);
  index_.emplace(key, &group);
  add_to_family(key, group);
  return group;
}

void GroupTable::add_to_family(const Key& key, Group& group) {
  Key any_grid = key;
  any_grid.shape.grid = {};
  Family& family = families_[any_grid];
  group.needs.shape = std::ssize(family.shapes);
  group.needs.last_shape = &family.last_shape;
  family.shapes.push_back(&group);
  if (family.shapes.size() <= kFewShapes) return;
  // All before this one have a class once there are many.
  const std::size_t first = family.shapes.size() == kFewShapes + 1 ? 0 : family.shapes.size() - 1;
  for (std::size_t i = first; i < family.shapes.size(); ++i) {
    Group* const shape = family.shapes[i];
    const auto [size, is_new] = family.classes.try_emplace(size_class(shape->row));
    SharedNeeds& sizes = size->second;
    if (is_new) sizes.of_sizes = true;  // only now: launches read it without the lock
    if (shape->needs.shared == nullptr)
      shape->needs.join(sizes);
    else  // with its variants, to which their next launch leads
      shape->size_class = &sizes;
  }
}

void GroupTable::tell_apart(Group& group, std::vector<ParameterPlace> parameters) {
  const std::lock_guard lock(mutex_);
  group.variants = &variants_.emplace_back(group, std::move(parameters), host_memory_);
}

// Shapes of a function that has many differ in their parameters anyway; their sizes distinguish them. The
// first of them may have variants by then.
Group& GroupTable::variant_of(Group& first, const LaunchInfo& launch,
                              std::optional<model::CallSiteId> call_site) {
  Variants* const variants = first.variants.load(std::memory_order_acquire);
  const SharedNeeds* const shared = first.needs.shared;
  if (variants == nullptr || (shared != nullptr && shared->of_sizes)) return first;
  SharedNeeds* const sizes = first.size_class.load(std::memory_order_acquire);
  if (sizes != nullptr && variants->become_one(*sizes)) return first;
  return variants->of(launch, call_site, [&]() -> Group& { return add_variant(first); });
}

Group& GroupTable::add_variant(const Group& first) {
  const std::lock_guard lock(mutex_);
  Group& group = groups_.emplace_back();
  group.row = first.row;
  group.row.id = model::GroupId{static_cast<std::int64_t>(groups_.size())};
  group.reason = first.reason;
  group.may_never_end = first.may_never_end;
  group.begins_timing = first.begins_timing;
  group.satisfied = group.reason != model::CoverageReason::measured;
  group.variants = first.variants.load();
  group.needs.shape = first.needs.shape;
  group.needs.last_shape = first.needs.last_shape;
  group.found_by_name = false;
  new_group_(group.row);
  remember_launches();
  return group;
}

void GroupTable::remember_launches() {
  if (pending_owner_ != nullptr) return;
  pending_owner_ = std::make_unique<PendingLaunches>();
  pending_ = pending_owner_.get();
}

void GroupTable::launched(std::uint32_t correlation, const Group& group, bool shares_id) {
  PendingLaunches* const pending = pending_.load(std::memory_order_acquire);
  if (pending == nullptr || correlation == 0) return;
  if (shares_id) {
    const std::lock_guard lock(mutex_);
    if (sharing_.size() < kMostNodes) sharing_[correlation].push_back(&group);
  } else if (!group.found_by_name) {
    pending->add(correlation, group.row.id);
  }
}

// A record that came late may find the correlation id of another launch.
bool GroupTable::is_of(const KernelRun& run, const Group& group) const {
  const auto same_name = kernels_.find(run.kernel_name);
  return same_name != kernels_.end() && group.row.device_id.value == run.device + 1 &&
         shape_of(group.row) == run.shape &&
         std::ranges::find(same_name->second, group.row.kernel_id, &KernelEntry::id) !=
             same_name->second.end();
}

std::optional<model::GroupId> GroupTable::launched_as(const KernelRun& run) {
  const std::uint32_t correlation = run.correlation;
  PendingLaunches* const pending = pending_.load(std::memory_order_acquire);
  if (pending == nullptr || correlation == 0) return std::nullopt;
  if (const auto found = sharing_.find(correlation); found != sharing_.end()) {
    auto& launches = found->second;
    const auto launch = std::ranges::find_if(launches, [&](const Group* each) { return is_of(run, *each); });
    if (launch == launches.end()) return std::nullopt;
    const model::GroupId id = (*launch)->row.id;
    launches.erase(launch);
    if (launches.empty()) sharing_.erase(found);
    return id;
  }
  return pending->take(correlation);
}

bool GroupTable::name_node(std::uint64_t node, const Group& group) {
  const std::lock_guard lock(mutex_);
  if (node == 0 || nodes_.size() >= kMostNodes) return false;
  nodes_[node] = group.row.id;
  return true;
}

GraphLaunches& GroupTable::graph_launches() {
  GraphLaunches* launches = graph_launches_.load(std::memory_order_acquire);
  if (launches != nullptr) return *launches;
  const std::lock_guard lock(mutex_);
  if (graph_launches_owner_ == nullptr) graph_launches_owner_ = std::make_unique<GraphLaunches>();
  graph_launches_ = launches = graph_launches_owner_.get();
  return *launches;
}

void GroupTable::graph_counted(std::uint32_t correlation) {
  graph_launches().add(correlation, GraphLaunches::kCounted);
}

void GroupTable::graph_launched(std::uint32_t correlation, std::uint32_t list) {
  graph_launches().add(correlation, list);
}

std::optional<std::uint32_t> GroupTable::list_groups(std::vector<Group*> groups) {
  const std::lock_guard lock(mutex_);
  auto list = std::ranges::find(lists_, groups);  // of a graph that is changed before each launch
  if (list == lists_.end()) {
    if (lists_.size() >= kMostLists) return std::nullopt;
    list = lists_.insert(list, std::move(groups));
  }
  return static_cast<std::uint32_t>(list - lists_.begin()) + 1;
}

std::optional<std::uint32_t> GroupTable::list_of(const KernelRun& run) const {
  GraphLaunches* const launches = graph_launches_.load(std::memory_order_acquire);
  return run.graph_id && launches != nullptr ? launches->find(run.correlation) : std::nullopt;
}

bool GroupTable::is_counted(const KernelRun& run) const {
  return run.counted || list_of(run) == GraphLaunches::kCounted;
}

// By its node; else the first of the graph's groups that has its name and shape.
std::optional<model::GroupId> GroupTable::node_group(const KernelRun& run) const {
  if (const auto found = nodes_.find(run.graph_node); found != nodes_.end()) return found->second;
  const auto number = list_of(run).value_or(GraphLaunches::kCounted);
  if (number == GraphLaunches::kCounted || number > lists_.size()) return std::nullopt;
  const auto& list = lists_[number - 1];
  const auto group = std::ranges::find_if(list, [&](const Group* each) { return is_of(run, *each); });
  return group == list.end() ? std::nullopt : std::optional((*group)->row.id);
}

// A graph may have been changed since its nodes were looked at.
Group& GroupTable::group_of(const KernelRun& run) {
  const std::lock_guard lock(mutex_);
  if (const auto id = run.graph_id ? node_group(run) : launched_as(run)) {
    Group& launched = groups_.at(static_cast<std::size_t>(id->value) - 1);
    if (is_of(run, launched)) return launched;
  }
  return group(run.kernel_name, run.device, run.shape, 0);
}

std::vector<Variants*> GroupTable::all_variants() {
  const std::lock_guard lock(mutex_);
  std::vector<Variants*> all;
  for (Variants& each : variants_) all.push_back(&each);
  return all;
}

std::vector<model::KernelGroup> GroupTable::take_changed_rows() {
  std::vector<model::KernelGroup> changed;
  for (Variants* each : all_variants())
    for (model::KernelGroup& row : each->take_changed_rows()) changed.push_back(std::move(row));
  return changed;
}

std::vector<model::ParameterValues> GroupTable::take_changed_values() {
  std::vector<model::ParameterValues> changed;
  for (Variants* each : all_variants())
    std::ranges::copy(each->take_changed_values(), std::back_inserter(changed));
  return changed;
}

model::KernelId GroupTable::kernel_id(std::string_view kernel_name) {
  const std::lock_guard lock(mutex_);
  return kernel_entry(kernel_name, 0).id;
}

Group& GroupTable::at(model::GroupId id) {
  const std::lock_guard lock(mutex_);
  return groups_.at(static_cast<std::size_t>(id.value) - 1);
}

void GroupTable::timed(Group& group, std::int64_t gpu_ns) {
  group.launches_timed.fetch_add(1, std::memory_order_relaxed);
  group.needs.native_ns.store(gpu_ns, std::memory_order_relaxed);
  group.needs.gpu_ns.fetch_add(gpu_ns, std::memory_order_relaxed);
  if (SharedNeeds* shared = group.needs.shared) {
    shared->native_ns.store(gpu_ns, std::memory_order_relaxed);
    shared->gpu_ns.fetch_add(gpu_ns, std::memory_order_relaxed);
  }
  gpu_ns_.fetch_add(gpu_ns, std::memory_order_relaxed);
}

void GroupTable::for_each(const std::function<void(Group&)>& visit) {
  std::vector<Group*> groups;
  {
    const std::lock_guard lock(mutex_);
    groups.reserve(groups_.size());
    for (Group& group : groups_) groups.push_back(&group);
  }
  for (Group* const group : groups) visit(*group);
}

}  // namespace coalescope::recorder
