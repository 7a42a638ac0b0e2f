#pragma once
// What the tests of this folder share: a folder that goes away, rows with every column filled, small
// captures.

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <unistd.h>

#include "core/capture/tables.h"
#include "core/capture/writer.h"

namespace coalescope::capture {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = std::filesystem::temp_directory_path() / "coalescope_test.XXXXXX";
    path_ = ::mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] std::string file(const std::string& name) const { return path_ / name; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void set_content(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// A value that differs for each `number`; `full` fills what may be missing.
template <class Value>
void fill(Value& value, std::int64_t number, bool full) {
  if constexpr (kIsOptional<Value>) {
    if (full)
      fill(value.emplace(), number, full);
    else
      value.reset();
  } else if constexpr (kIsStrongId<Value>)
    value.value = number;
  else if constexpr (std::is_same_v<Value, bool>)
    value = number % 2 == 0;
  else if constexpr (std::is_same_v<Value, std::string>)
    value = full ? "text " + std::to_string(number) : "";
  else if constexpr (std::is_same_v<Value, Blob>)
    value.assign(3, static_cast<std::byte>(number));
  else if constexpr (std::is_same_v<Value, double>)
    value = static_cast<double>(number) + 0.5;
  else if constexpr (std::is_same_v<Value, model::MetricId>)
    value = Value{1 + number % 20};
  else if constexpr (std::is_enum_v<Value>)
    value = Lookup<Value>::kEntries.back().value;
  else
    value = number;
}

template <class Row>
Row filled_row(std::int64_t seed, bool full) {
  Row row;
  std::int64_t number = seed;
  Table<Row>::kColumns([&](const auto&... column) { (fill(row.*column.member, number++, full), ...); });
  return row;
}

template <class Row>
void expect_equal(const Row& a, const Row& b) {
  const auto expect = [&](const auto& column) {
    EXPECT_TRUE(a.*column.member == b.*column.member) << column.name;
  };
  Table<Row>::kColumns([&](const auto&... column) { (expect(column), ...); });
}

template <class Done>
void expect_done(const Done& done) {
  ASSERT_TRUE(done) << done.error().text();
}

template <class Row>
void insert(Writer& writer, const Row& row) {
  expect_done(writer.insert(row));
}

// One process with one kernel in one shape and one timed launch.
inline void write_part(const std::string& path, std::int64_t started_unix_ns, const std::string& kernel) {
  auto writer = Writer::create(path);
  ASSERT_TRUE(writer) << writer.error().text();
  insert(*writer, model::Capture{.started_unix_ns = started_unix_ns});
  insert(*writer, model::Process{.id = {1}, .pid = 77, .began_ns = 5});
  insert(*writer, model::Device{.id = {1}, .process_id = {1}});
  insert(*writer, model::Kernel{.id = {1}, .process_id = {1}, .name = kernel});
  insert(*writer,
         model::KernelGroup{.id = {1}, .process_id = {1}, .device_id = {1}, .kernel_id = {1}, .grid_x = 8});
  insert(*writer, model::Launch{.id = {1}, .group_id = {1}, .stream = 7, .start_ns = 100, .gpu_ns = 40});
  insert(*writer, model::MetricUsed{.id = model::MetricId{1}, .key = "global_load_bytes"});
  insert(*writer, model::Reading{.launch_id = {1}, .metric_id = model::MetricId{1}, .value = 128});
  insert(*writer, model::Diagnostic{.id = 1, .origin = "record", .code = "test"});
  expect_done(writer->commit());
}

}  // namespace coalescope::capture
