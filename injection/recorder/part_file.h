#pragma once
// Turns work items into rows of this process's part of the capture, and sends them to the process that writes
// it. Used by one thread only.

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>

#include "core/base/error.h"
#include "core/model/run.h"
#include "core/ring/row_writer.h"
#include "injection/recorder/backend.h"
#include "injection/recorder/copy_counts.h"
#include "injection/recorder/diagnostics.h"
#include "injection/recorder/group_table.h"
#include "injection/recorder/launch_sites.h"
#include "injection/recorder/options.h"
#include "injection/recorder/records.h"
#include "injection/recorder/trace_pace.h"
#include "injection/recorder/transfer_totals.h"

namespace coalescope::recorder {

// "<host>-<pid>[-rank<r>]-<began>": the names of all that this process leaves behind begin with it.
[[nodiscard]] std::string part_name(const model::Process& process);
// The capture row of a part; `record` fills the merged file's.
[[nodiscard]] model::Capture new_part(const RecorderOptions& options);

class PartFile final : public TraceSink {
 public:
  // Begins with the capture and process rows.
  [[nodiscard]] static base::Result<std::unique_ptr<PartFile>> create(
      const RecorderOptions& options, const model::Process& process, ring::RingWriter& ring,
      GroupTable& groups, LaunchSites& sites, CopyCounts& copies, Backend& backend, Diagnostics& diagnostics);

  void write(const model::Kernel& kernel);
  void write(const model::KernelGroup& group);
  void replace(const model::KernelGroup& group);
  void write(const KernelCode& code);
  void write(const DeviceSeen& seen);
  void write(const WindowRecord& record);
  void write(const ActivityBuffer& buffer);
  void write(const model::Coverage& coverage);
  void write(const std::vector<model::Diagnostic>& diagnostics);
  void write(const model::Process& process);  // again, with its end

  // The launches of a group that have no rows of their own.
  void write_total(Group& group);
  // A few times a second; see TracePace. `new_kernel`: one was launched that has no time yet. The answer says
  // whether kernels are to have records.
  [[nodiscard]] bool keep_pace(std::int64_t now_ns, bool may_count, bool new_kernel);
  [[nodiscard]] bool lists_all() const { return !pace_.samples(); }
  // Nothing was recorded between the two.
  void missed(std::int64_t began_ns, std::int64_t ended_ns);

  // Rows that are complete as they come; put() takes the place of the one with the same key.
  template <class Row>
  void add(const Row& row) {
    if (has_room()) check(writer_.insert(row));
  }
  template <class Row>
  void put(const Row& row) {
    if (has_room()) check(writer_.replace(row));
  }

  // What was written so far belongs together.
  void publish();
  // The same, with the totals that are written a few times a second.
  void commit();
  [[nodiscard]] std::int64_t dropped_records() const { return dropped_records_; }

  // TraceSink
  void kernel(const KernelRun& run) override;
  void transfer(const model::Transfer& transfer, std::uint32_t correlation) override;
  void unified_memory(const model::UnifiedMemory& record) override;
  void dropped(std::int64_t records) override;

 private:
  PartFile(const RecorderOptions& options, ring::RingWriter& ring, GroupTable& groups, LaunchSites& sites,
           CopyCounts& copies, Backend& backend, Diagnostics& diagnostics);
  [[nodiscard]] bool lists(std::optional<std::int64_t> start_ns) const;
  void list(const KernelRun& run, Group& group);
  void write_transfer_totals();
  [[nodiscard]] model::KernelId kernel_of(const InstructionCounts& counts, const WindowRecord& record);
  [[nodiscard]] model::InstructionId instruction_id(const InstructionCounts& counts, model::KernelId kernel);
  [[nodiscard]] bool has_room() const;
  void check(const base::Result<void>& done);

  ring::RowWriter writer_;
  GroupTable& groups_;
  LaunchSites& sites_;
  CopyCounts& copies_;
  Backend& backend_;
  Diagnostics& diagnostics_;
  TracePace pace_;
  int refused_ = 0;  // rows that nobody took; after many nothing more is tried, the target goes on
  std::int64_t launches_ = 0;
  std::int64_t transfers_ = 0;
  std::int64_t dropped_records_ = 0;
  std::int64_t unified_memory_rows_ = 0;
  TransferTotals transfer_totals_;  // of records
  std::map<TransferTotals::Class, std::int64_t> transfers_written_;
  std::map<std::int64_t, model::Kernel> kernels_;
  std::set<model::MetricId> metrics_;
  std::set<std::int64_t> groups_written_;
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, model::InstructionId> instructions_;
};

}  // namespace coalescope::recorder
