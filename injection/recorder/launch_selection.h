#pragma once
// Which launches the user wants measured. Names are asked once a kernel; the rest is asked at each launch and
// costs a few atomic operations. Launches that are left out are traced all the same.

#include <atomic>
#include <cstdint>
#include <functional>

#include "core/base/error.h"
#include "core/base/name_filter.h"
#include "injection/recorder/group_table.h"
#include "injection/recorder/options.h"

namespace coalescope::recorder {

class LaunchSelection {
 public:
  using InsideRange = std::function<bool()>;  // is this thread inside an NVTX range of the selected name?

  // Fails if a regular expression is not one.
  [[nodiscard]] static base::Result<LaunchSelection> compile(const Selection& selection,
                                                             InsideRange inside_range);
  LaunchSelection(LaunchSelection&& other) noexcept;

  [[nodiscard]] Verdict judge(std::string_view kernel_name) const;
  // For each launch of a kernel that judge() lets be measured.
  [[nodiscard]] bool takes(std::int64_t now_ns);
  // False: takes() answers yes to every launch.
  [[nodiscard]] bool is_limited() const { return limited_; }

  // cudaProfilerStart and cudaProfilerStop: they choose launches only if the user says so, because programs
  // that were never meant for it call them.
  void profiler_started() { running_.store(true, std::memory_order_release); }
  void profiler_stopped() { running_.store(selection_.from_start, std::memory_order_release); }

 private:
  LaunchSelection(Selection selection, InsideRange inside_range, base::NameFilter kernel,
                  base::NameFilter exclude);

  Selection selection_;
  InsideRange inside_range_;
  base::NameFilter kernel_;
  base::NameFilter exclude_;
  bool limited_;
  std::atomic<bool> running_;
  std::atomic<std::int64_t> seen_{0};  // launches that all but `skip` and `launches` let pass
};

}  // namespace coalescope::recorder
