// What a script says must be in a capture, and whether it is.

#include <gtest/gtest.h>
#include <set>

#include "core/model/metric.h"
#include "tests/standin/harness_test.h"

namespace standin {
namespace {

namespace model = coalescope::model;
using Counts = std::map<std::string, std::int64_t>;
using Graphs = std::map<std::string, Counts>;

Counts walk(const std::vector<Statement>& statements, Graphs& graphs);

void add(Counts& to, const Counts& more, std::int64_t times) {
  for (const auto& [kernel, count] : more) to[kernel] += count * times;
}

Counts walk(const std::vector<Statement>& statements, Graphs& graphs) {
  Counts counts;
  for (const auto& statement : statements) {
    if (statement.verb == "launch") counts[statement.word(0)] += statement.number("times", 1);
    if (statement.verb == "threads" || statement.verb == "repeat" || statement.verb == "files")
      add(counts, walk(statement.body, graphs), std::stoi(statement.word(0)));
    if (statement.verb == "time") add(counts, walk(statement.body, graphs), statement.number("times", 1));
    if (statement.verb == "files_beside" || statement.verb == "cancelled" || statement.verb == "range")
      add(counts, walk(statement.body, graphs), 1);
    if (statement.verb == "stream_capture") {
      Counts& graph = graphs[statement.word(0)] = walk(statement.body, graphs);
      add(graph, graphs[statement.option("child", "")], 1);
    }
    if (statement.verb == "update") graphs[statement.word(0)] = graphs[statement.word(1)];
    if (statement.verb == "graph") add(counts, graphs[statement.word(0)], statement.number("times", 1));
    if (statement.verb == "exit") break;
  }
  return counts;
}

const CodeKernel* find_kernel(const std::vector<CodeKernel>& kernels, const std::string& name) {
  for (const auto& kernel : kernels)
    if (kernel.name == name) return &kernel;
  return nullptr;
}

const CodeInstruction* find_instruction(const CodeKernel& kernel, std::int64_t pc_offset) {
  for (const auto& instruction : kernel.instructions)
    if (instruction.pc_offset == pc_offset) return &instruction;
  return nullptr;
}

template <class Row, class Id>
const Row* find_row(const std::vector<Row>& rows, Id id) {
  for (const auto& row : rows)
    if (row.id == id) return &row;
  return nullptr;
}

// The lines that the target printed itself.
std::string without_our_lines(const std::string& text) {
  std::string kept;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const auto end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    const auto line = text.substr(begin, end - begin);
    if (line.rfind("coalescope: ", 0) != 0) kept += line;
    begin = end;
  }
  return kept;
}

void expect_launch(const Recorded& recorded, const std::vector<CodeKernel>& kernels,
                   const model::Launch& launch) {
  const auto name = recorded.kernel_of(launch.group_id);
  const auto* kernel = find_kernel(kernels, name);
  ASSERT_NE(kernel, nullptr) << "the script has no kernel " << name;
  EXPECT_EQ(launch.gpu_ns.value_or(kernel->gpu_ns), kernel->gpu_ns) << name;
  EXPECT_EQ(launch.start_ns.has_value(), launch.gpu_ns.has_value() || launch.window_id.has_value()) << name;
  EXPECT_GE(launch.start_ns.value_or(0), 0) << name;
  EXPECT_LE(launch.start_ns.value_or(0), 1'000'000'000'000) << name << " began after the end of the test";
}

void expect_line(const model::Instruction& row, const CodeInstruction& code) {
  if (row.source_state == model::SourceState::unresolved) return;
  EXPECT_EQ(row.file.value_or(""), code.file);
  EXPECT_EQ(row.line.value_or(0), code.line);
}

}  // namespace

Counts launches_in(const std::string& script) {
  Graphs graphs;
  return walk(parse_script(script), graphs);
}

std::vector<CodeKernel> all_kernels(const std::string& script) {
  const auto statements = parse_script(script);
  auto kernels = kernels_in(statements);
  for (const auto& statement : statements) {
    if (statement.verb != "module") continue;
    for (auto& kernel : kernels_in(statement.body)) kernels.push_back(std::move(kernel));
  }
  return kernels;
}

void expect_unharmed(const Recorded& recorded) {
  EXPECT_EQ(recorded.under.end, recorded.alone.end) << recorded.under.err;
  EXPECT_EQ(recorded.under.out, recorded.alone.out);
  EXPECT_EQ(without_our_lines(recorded.under.err), recorded.alone.err);
  EXPECT_TRUE(recorded.opens) << recorded.under.err;
}

void expect_no_wrong_number(const Recorded& recorded) {
  const auto kernels = all_kernels(recorded.script);
  const auto& rows = recorded.rows;
  std::map<std::int64_t, std::string> kernel_of_launch;
  std::map<std::int64_t, std::int64_t> launches_of_window;
  for (const auto& launch : rows.launches) {
    expect_launch(recorded, kernels, launch);
    if (testing::Test::HasFatalFailure()) return;  // one is enough
    kernel_of_launch[launch.id.value] = recorded.kernel_of(launch.group_id);
    if (launch.window_id) ++launches_of_window[launch.window_id->value];
  }
  for (const auto& reading : rows.readings) {
    const auto& name = kernel_of_launch[reading.launch_id.value];
    const auto* kernel = find_kernel(kernels, name);
    ASSERT_NE(kernel, nullptr) << "a reading of no launch: " << name;
    const auto key = model::metric(reading.metric_id).key;
    EXPECT_EQ(reading.value, value_of(*kernel, key)) << name << ' ' << key;
  }
  for (const auto& reading : rows.instruction_readings) {
    const auto* row = find_row(rows.instructions, reading.instruction_id);
    ASSERT_NE(row, nullptr);
    const auto* kernel = find_kernel(kernels, find_row(rows.kernels, row->kernel_id)->name);
    ASSERT_NE(kernel, nullptr);
    const auto* code = find_instruction(*kernel, row->pc_offset);
    ASSERT_NE(code, nullptr) << kernel->name << " has no instruction at " << row->pc_offset;
    const auto key = model::metric(reading.metric_id).key;
    EXPECT_EQ(reading.value, value_of(*kernel, *code, key) * launches_of_window[reading.window_id.value])
        << kernel->name << " at " << row->pc_offset << ' ' << key;
    expect_line(*row, *code);
  }
}

void expect_every_launch(const Recorded& recorded) {
  for (const auto& [kernel, count] : launches_in(recorded.script))
    EXPECT_EQ(recorded.launches_of(kernel), count) << kernel << '\n' << recorded.diagnostics_text();
}

void expect_all_but_the_last_buffer(const Recorded& recorded, const std::string& kernel,
                                    std::int64_t launched) {
  EXPECT_LE(recorded.launches_of(kernel), launched);
  EXPECT_GE(recorded.launches_of(kernel), launched / 2) << kernel << '\n' << recorded.diagnostics_text();
}

void expect_coverage_counts(const Recorded& recorded) {
  Counts seen;
  for (const auto& row : recorded.rows.coverage)
    if (row.phase == model::Phase::bytes) seen[recorded.kernel_of(row.group_id)] += row.launches_seen;
  for (const auto& [kernel, count] : launches_in(recorded.script)) EXPECT_EQ(seen[kernel], count) << kernel;
}

void expect_exact(const Recorded& recorded) {
  expect_unharmed(recorded);
  expect_no_wrong_number(recorded);
  expect_every_launch(recorded);
  expect_coverage_counts(recorded);
  for (const auto& row : recorded.rows.diagnostics) EXPECT_EQ(row.origin, "graphs") << row.text;
  EXPECT_TRUE(recorded.rows.capture.clean);
  for (const auto& window : recorded.rows.windows)
    EXPECT_EQ(window.outcome, model::CoverageReason::measured) << model::name_of(window.phase);
}

void expect_all_phases(const Recorded& recorded, const std::string& kernel) {
  using model::Phase;
  for (const Phase phase : {Phase::bytes, Phase::lines, Phase::traffic, Phase::hits})
    EXPECT_GT(recorded.measured(kernel, phase), 0) << kernel << ' ' << model::name_of(phase);
}

}  // namespace standin
