#include "core/capture/schema.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <string>

namespace coalescope::capture {
namespace {

// Merging copies in this order, and a person reads in it.
TEST(Schema, TablesComeAfterThoseTheyReferTo) {
  std::set<std::string_view> known;
  for (const LookupInfo& lookup : lookups()) known.insert(lookup.table.name);
  for (const TableInfo& table : tables()) {
    EXPECT_TRUE(known.insert(table.name).second) << table.name << " is declared twice";
    for (const ColumnInfo& column : table.columns)
      EXPECT_TRUE(column.refers_to.empty() || known.contains(column.refers_to))
          << table.name << "." << column.name;
  }
}

TEST(Schema, EveryTableAndColumnHasASentence) {
  for (const TableInfo& table : tables()) {
    EXPECT_TRUE(table.doc.ends_with('.')) << table.name;
    for (const ColumnInfo& column : table.columns)
      EXPECT_TRUE(column.doc.ends_with('.')) << table.name << "." << column.name;
  }
}

// An id whose type is a plain number would not be renumbered by a merge.
TEST(Schema, IdColumnsReferToATable) {
  const std::set<std::string> plain{"launch.graph_id", "transfer.graph_id", "calibration.case_id",
                                    "device.pci_bus_id", "call_site.build_id"};
  for (const TableInfo& table : tables())
    for (const ColumnInfo& column : table.columns) {
      const std::string name = std::string(table.name) + "." + std::string(column.name);
      if (!column.name.ends_with("_id")) continue;
      EXPECT_EQ(column.refers_to.empty(), plain.contains(name)) << name;
    }
}

// Nanoseconds since the beginning are shifted by a merge, durations are not.
TEST(Schema, MomentsAreMarked) {
  std::set<std::string> moments;
  for (const TableInfo& table : tables())
    for (const ColumnInfo& column : table.columns)
      if (column.moment) moments.insert(std::string(table.name) + "." + std::string(column.name));
  EXPECT_THAT(moments, ::testing::ElementsAre(
                           "access_window.set_ns", "allocation.allocated_ns", "allocation.freed_ns",
                           "l2_setting.set_ns", "launch.start_ns", "nvtx_range.end_ns", "nvtx_range.start_ns",
                           "phase_window.began_ns", "phase_window.ended_ns", "process.began_ns",
                           "process.ended_ns", "synchronization.start_ns", "trace_gap.began_ns",
                           "trace_gap.ended_ns", "transfer.start_ns", "unified_memory.start_ns"));
}

TEST(Schema, NamesOfEnumerationsAreInTheFile) {
  const auto all = lookups();
  const auto directions =
      std::ranges::find(all, std::string_view("direction"), [](const auto& one) { return one.table.name; });
  ASSERT_NE(directions, all.end());
  EXPECT_EQ(directions->entries.back().id, 100);
  EXPECT_EQ(directions->entries.back().name, "set");
  EXPECT_THAT(schema_sql(), ::testing::HasSubstr("(100, 'set')"));
}

}  // namespace
}  // namespace coalescope::capture
