// coalescope_resolve as a program, on a part and on a capture: with CUPTI it finds lines, without it the code
// stays in the file for another machine.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <set>
#include <vector>

#include "core/capture/reader.h"
#include "core/capture/seal.h"
#include "core/capture/writer.h"
#include "core/ring/served_test.h"
#include "injection/cupti/cupti_api.h"
#include "injection/cupti/module_store.h"

namespace coalescope::cupti {
namespace {

namespace fs = std::filesystem;

class ResolveTest : public ::testing::Test {
 protected:
  void SetUp() override {
    api_ = load_cupti(clues_of_process());
    if (!api_) GTEST_SKIP() << api_.error().text();
    std::string pattern = fs::temp_directory_path() / "coalescope_resolve.XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    load("strided.cubin");
  }
  void load(const std::string& name) {
    std::ifstream file(std::string(COALESCOPE_SOURCE_DIR) + "/tests/fixtures/cubin/" + name,
                       std::ios::binary);
    code_.assign(std::istreambuf_iterator<char>(file), {});
    ASSERT_FALSE(code_.empty());
    CUpti_GetCubinCrcParams params{};
    params.size = CUpti_GetCubinCrcParamsSize;
    params.cubinSize = code_.size();
    params.cubin = code_.data();
    ASSERT_EQ(api_->cuptiGetCubinCrc(&params), CUPTI_SUCCESS);
    crc_ = static_cast<std::int64_t>(params.cubinCrc);
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  // A part with every instruction of the function, and its process's code: other modules beside it.
  // `more` is one of them.
  std::string make_part(const std::string& function = "_Z7stridedPKfPf", const std::vector<char>& more = {}) {
    fs::create_directory(folder_ / "kept");
    const std::string part = folder_ / "1.part.coal";
    auto writer = capture::Writer::create(part);
    EXPECT_TRUE(writer);
    EXPECT_TRUE(writer->insert(model::Capture{}));
    EXPECT_TRUE(writer->insert(model::Process{.id = {1}, .pid = 1}));
    EXPECT_TRUE(writer->insert(model::Kernel{.id = {1}, .process_id = {1}, .name = function}));
    for (std::int64_t i = 0; i < 16; ++i)
      EXPECT_TRUE(writer->insert(
          model::Instruction{.id = {i + 1}, .kernel_id = {1}, .module_crc = crc_, .pc_offset = 16 * i}));
    EXPECT_TRUE(writer->commit());
    ring::Served served(folder_ / "kept");
    const auto channel = served.open("1");
    ModuleStore store(channel->ring());
    const std::array<char, 64> other{'n', 'o', ' ', 'c', 'u', 'b', 'i', 'n'};
    EXPECT_TRUE(store.add(other.data(), other.size()));
    for (int loaded = 0; loaded < 3; ++loaded) EXPECT_TRUE(store.add(code_.data(), code_.size()));
    EXPECT_TRUE(more.empty() || store.add(more.data(), more.size()));
    served.finish();
    fs::rename(folder_ / "kept" / "1.code", folder_ / "1.code");
    return part;
  }

  static int run(const std::string& environment, const std::string& path) {
    return std::system((environment + " '" + COALESCOPE_RESOLVE + "' '" + path + "' 2>/dev/null").c_str());
  }
  template <class Row>
  static std::vector<Row> rows(const std::string& path) {
    auto reader = capture::Reader::open(path);
    EXPECT_TRUE(reader) << reader.error().text();
    return reader->rows<Row>().value();
  }
  static void expect_lines(const std::string& path) {
    int in_source = 0;
    for (const auto& row : rows<model::Instruction>(path)) {
      EXPECT_NE(row.source_state, model::SourceState::unresolved) << row.pc_offset;
      if (row.file && row.file->ends_with("tests/fixtures/cubin/strided.cu") && row.line >= 3 &&
          row.line <= 7)
        ++in_source;
    }
    EXPECT_GT(in_source, 3);
  }

  base::Result<CuptiApi> api_;
  fs::path folder_;
  std::vector<char> code_;
  std::int64_t crc_ = 0;
};

TEST_F(ResolveTest, FindsTheLinesOfAPartAndLeavesNoCode) {
  const std::string part = make_part();
  EXPECT_LT(fs::file_size(folder_ / "1.code"), 2 * code_.size()) << "loaded three times, kept once";
  EXPECT_EQ(run("", part), 0);
  expect_lines(part);
  const auto modules = rows<model::Module>(part);
  ASSERT_EQ(modules.size(), 1U);
  EXPECT_EQ(modules[0].crc, crc_);
  EXPECT_FALSE(modules[0].code);
}

TEST_F(ResolveTest, TellsThePointerBehindEachAccess) {
  const std::string part = make_part();
  {
    auto writer = capture::Writer::open(part);
    ASSERT_TRUE(writer);
    EXPECT_TRUE(writer->insert(model::Device{.id = {1}, .process_id = {1}}));
    model::KernelGroup group;
    group.id = {1};
    group.process_id = {1};
    group.kernel_id = {1};
    group.device_id = {1};
    EXPECT_TRUE(writer->insert(group));
    for (const std::int64_t parameter : {0, 1})
      EXPECT_TRUE(writer->insert(model::GroupPointer{.group_id = {1}, .parameter = parameter}));
    ASSERT_TRUE(writer->commit());
  }
  EXPECT_EQ(run("", part), 0);
  int accesses = 0;
  for (const auto& row : rows<model::Instruction>(part)) {
    if (!row.operation) continue;
    ++accesses;
    EXPECT_EQ(row.parameter, *row.operation == model::MemoryOperation::global_load ? 0 : 1);
    EXPECT_EQ(row.parameter_byte, 0);
  }
  EXPECT_EQ(accesses, 2);
}

// The part's code was kept in the capture, and what looks it up later has no file beside it.
TEST_F(ResolveTest, FindsTheLinesOfACaptureThatKeptItsCode) {
  const std::string part = make_part();
  const std::string capture = folder_ / "later.coal";
  {
    auto writer = capture::Writer::open(part);
    ASSERT_TRUE(writer);
    const auto* bytes = reinterpret_cast<const std::byte*>(code_.data());
    ASSERT_TRUE(writer->insert(model::Module{.id = {1},
                                             .process_id = {1},
                                             .crc = crc_,
                                             .size_bytes = static_cast<std::int64_t>(code_.size()),
                                             .code = capture::Blob(bytes, bytes + code_.size())}));
    ASSERT_TRUE(writer->commit());
  }
  fs::rename(part, capture);
  fs::remove(folder_ / "1.code");
  EXPECT_EQ(run("", capture), 0);
  ASSERT_TRUE(capture::seal(capture));
  expect_lines(capture);
  ASSERT_EQ(rows<model::Module>(capture).size(), 1U);
  EXPECT_FALSE(rows<model::Module>(capture)[0].code);
}

// Of a program that was built without -lineinfo there is nothing to ask CUPTI for.
TEST_F(ResolveTest, KnowsCodeWithoutLinesByItself) {
  const std::string name = ".debug_line";
  for (auto at = code_.begin(); (at = std::search(at, code_.end(), name.begin(), name.end())) != code_.end();)
    *at = '_';
  const std::string part = make_part();
  EXPECT_EQ(run(std::string("LD_PRELOAD=") + COALESCOPE_HIDE_CUPTI, part), 0);
  for (const auto& row : rows<model::Instruction>(part))
    EXPECT_EQ(row.source_state, model::SourceState::no_line_info);
  const auto modules = rows<model::Module>(part);
  ASSERT_EQ(modules.size(), 1U);
  EXPECT_EQ(modules[0].crc, crc_);
  EXPECT_EQ(modules[0].size_bytes, static_cast<std::int64_t>(code_.size()));
  EXPECT_FALSE(modules[0].code);
}

TEST_F(ResolveTest, WhatCannotBeLookedUpCostsNoOtherLines) {
  const std::string part = make_part();
  {
    auto writer = capture::Writer::open(part);
    ASSERT_TRUE(writer);
    EXPECT_TRUE(writer->insert(model::Kernel{.id = {2}, .process_id = {1}, .name = "_Z8is_not_inv"}));
    EXPECT_TRUE(
        writer->insert(model::Instruction{.id = {17}, .kernel_id = {2}, .module_crc = crc_, .pc_offset = 0}));
    ASSERT_TRUE(writer->commit());
  }
  EXPECT_NE(run("", part), 0);
  int known = 0;
  for (const auto& row : rows<model::Instruction>(part))
    known += row.kernel_id == model::KernelId{1} && row.source_state == model::SourceState::resolved ? 1 : 0;
  EXPECT_GT(known, 3);
}

TEST_F(ResolveTest, NeedsNoCuptiWhereTheFunctionsNameTellsItsModule) {
  const std::string part = make_part();
  EXPECT_EQ(run(std::string("LD_PRELOAD=") + COALESCOPE_HIDE_CUPTI, part), 0);
  expect_lines(part);
  ASSERT_EQ(rows<model::Module>(part).size(), 1U);
  EXPECT_FALSE(rows<model::Module>(part)[0].code);
}

TEST_F(ResolveTest, CodeOfAHeaderHasTheLineThatCallsIt) {
  load("inlined.cubin");
  const std::string part = make_part("adds");
  EXPECT_EQ(run("", part), 0);
  std::set<std::int64_t> lines;
  for (const auto& row : rows<model::Instruction>(part)) {
    ASSERT_TRUE(row.file) << row.pc_offset;
    EXPECT_TRUE(row.file->ends_with("tests/fixtures/cubin/inlined.cu")) << *row.file;
    lines.insert(*row.line);
  }
  EXPECT_TRUE(lines.contains(14) && lines.contains(15)) << "the two calls of atomicAdd";
}

// CUPTI's checksum leaves names out, so modules that differ in them alone have the same.
TEST_F(ResolveTest, OfModulesWithOneChecksumEachHasItsOwnFunctions) {
  load("inlined.cubin");
  const std::string name = "adds", other_name = "addz";
  auto other = code_;
  for (auto at = other.begin(); (at = std::search(at, other.end(), name.begin(), name.end())) != other.end();)
    std::copy(other_name.begin(), other_name.end(), at);
  const std::string part = make_part(name, other);
  {
    auto writer = capture::Writer::open(part);
    ASSERT_TRUE(writer);
    EXPECT_TRUE(writer->insert(model::Kernel{.id = {2}, .process_id = {1}, .name = other_name}));
    EXPECT_TRUE(
        writer->insert(model::Instruction{.id = {17}, .kernel_id = {2}, .module_crc = crc_, .pc_offset = 0}));
    // Both modules have this one, so that names alone do not tell.
    EXPECT_TRUE(writer->insert(model::Kernel{.id = {3}, .process_id = {1}, .name = "picks"}));
    EXPECT_TRUE(
        writer->insert(model::Instruction{.id = {18}, .kernel_id = {3}, .module_crc = crc_, .pc_offset = 0}));
    ASSERT_TRUE(writer->commit());
  }
  EXPECT_EQ(run("", part), 0);
  for (const auto& row : rows<model::Instruction>(part))
    EXPECT_EQ(row.source_state, model::SourceState::resolved) << row.id.value;
}

TEST_F(ResolveTest, KeepsTheCodeThatItCannotLookUp) {
  std::vector<char> longer = code_;
  longer.push_back(0);
  const std::string part = make_part("_Z7stridedPKfPf", longer);
  EXPECT_NE(run(std::string("LD_PRELOAD=") + COALESCOPE_HIDE_CUPTI, part), 0);
  const auto modules = rows<model::Module>(part);
  ASSERT_EQ(modules.size(), 2U) << "which of them it is cannot be told without CUPTI";
  ASSERT_TRUE(modules[0].code);
  EXPECT_EQ(modules[0].code->size(), code_.size());
  EXPECT_EQ(rows<model::Instruction>(part)[0].source_state, model::SourceState::unresolved);
  // Another machine, which has the capture alone.
  const std::string capture = folder_ / "later.coal";
  fs::rename(part, capture);
  fs::remove(folder_ / "1.code");
  EXPECT_EQ(run("", capture), 0);
  expect_lines(capture);
}

}  // namespace
}  // namespace coalescope::cupti
