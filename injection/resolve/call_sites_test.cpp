#include "injection/resolve/call_sites.h"

#include <filesystem>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

#include "core/capture/captures_test.h"
#include "core/capture/reader.h"
#include "core/capture/writer.h"
#include "injection/recorder/call_stack.h"

namespace coalescope::resolve {

// Outside of the anonymous namespace, never inlined, and named in this program, which exports nothing.
__attribute__((noinline)) recorder::CallStack program_function() {
  recorder::CallStack stack = recorder::take_call_stack();
  asm volatile("" ::: "memory");  // no tail call: the frame must be there
  return stack;
}

namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using Rows = std::map<std::int64_t, model::CallSite>;

class CallSitesTest : public ::testing::Test {
 protected:
  Rows named(const std::vector<model::CallSite>& sites, int times = 1) {
    const std::string part = folder_.file(std::to_string(++parts_) + ".part.coal");
    auto writer = capture::Writer::create(part);
    EXPECT_TRUE(writer);
    EXPECT_TRUE(writer->insert(model::Capture{}));
    EXPECT_TRUE(writer->insert(model::Process{.id = {1}, .pid = 1}));
    for (const auto& site : sites) EXPECT_TRUE(writer->insert(site));
    EXPECT_TRUE(writer->commit());
    for (int i = 0; i < times; ++i) EXPECT_TRUE(name_call_sites(part));
    Rows rows;
    auto reader = capture::Reader::open(part);
    said_ = reader->rows<model::Diagnostic>().value();
    const auto found = reader->rows<model::CallSite>();
    for (const auto& row : *found) rows.emplace(row.id.value, row);
    return rows;
  }
  static model::CallSite site(std::int64_t id, std::string module, std::int64_t offset) {
    model::CallSite row;
    row.id = model::CallSiteId{id};
    row.process_id = model::ProcessId{1};
    row.module = std::move(module);
    row.module_offset = offset;
    return row;
  }
  // Of a program with functions inlined into each other; see core/symbols.
  static model::CallSite inlined_call(std::int64_t id) {
    const std::string program = std::string(COALESCOPE_PLACES_PROGRAMS) + "/dwarf5/program";
    std::FILE* pipe = ::popen(("'" + program + "'").c_str(), "r");
    EXPECT_NE(pipe, nullptr);
    unsigned long offset = 0;
    EXPECT_EQ(std::fscanf(pipe, "inlined %lx", &offset), 1);
    ::pclose(pipe);
    return site(id, program, static_cast<std::int64_t>(offset) + 1);
  }

  capture::TemporaryFolder folder_;
  int parts_ = 0;
  std::vector<model::Diagnostic> said_;  // by the last one
};

TEST_F(CallSitesTest, FindsTheFunctionsOfThisProgram) {
  const auto frames = recorder::FrameFinder().locate(program_function());
  ASSERT_FALSE(frames.empty());
  ASSERT_EQ(frames[0].symbol, std::nullopt);
  const auto rows = named({site(1, frames[0].module, frames[0].offset)});
  EXPECT_THAT(rows.at(1).symbol.value_or(""), HasSubstr("program_function"));
}

TEST_F(CallSitesTest, InlinedFunctionsBecomeCallers) {
  auto inner = inlined_call(7);
  inner.caller_id = model::CallSiteId{3};
  const auto rows = named({site(3, "/does/not/exist", 5), inner});
  std::vector<std::string> functions;
  std::optional<model::CallSiteId> at = model::CallSiteId{7};
  for (; at && at->value != 3; at = rows.at(at->value).caller_id) {
    const auto& row = rows.at(at->value);
    EXPECT_THAT(row.file.value_or(""), EndsWith("/places_program.cpp"));
    EXPECT_GT(row.line.value_or(0), 0);
    functions.push_back(row.symbol.value_or("?"));
  }
  ASSERT_TRUE(at) << "the caller outside is lost";
  ASSERT_GE(functions.size(), 3U);
  EXPECT_EQ(rows.at(7).kind, model::FrameKind::inlined);
  EXPECT_THAT(functions.back(), HasSubstr("outermost"));
}

TEST_F(CallSitesTest, DoneAgainItChangesNothing) {
  const auto once = named({inlined_call(1)}), again = named({inlined_call(1)}, 2);
  ASSERT_EQ(once.size(), again.size());
  for (const auto& [id, row] : once) {
    EXPECT_EQ(row.symbol, again.at(id).symbol);
    EXPECT_EQ(row.line, again.at(id).line);
    EXPECT_EQ(row.caller_id, again.at(id).caller_id);
  }
}

// Modules that were deleted meanwhile, code that was made while the program ran, Python.
TEST_F(CallSitesTest, WhatIsNotFoundStaysAsItWas) {
  auto known = site(1, "/does/not/exist.so", 0x1234);
  known.symbol = "_Z4ownsv";
  auto python = site(3, "", 44);
  python.kind = model::FrameKind::python;
  python.file = "/home/me/train.py";
  python.line = 12;
  const auto rows = named({known, site(2, "linux-vdso.so.1", 0x20), python, site(4, "/dev/null", 9)});
  EXPECT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows.at(1).symbol, known.symbol);
  EXPECT_EQ(rows.at(2).symbol, std::nullopt);
  EXPECT_EQ(rows.at(3).line, 12);
  EXPECT_EQ(rows.at(4).file, std::nullopt);
}

// A file of the same name that was built since names other functions at the same offsets.
TEST_F(CallSitesTest, AFileThatWasReplacedNamesNothing) {
  const auto frames = recorder::FrameFinder().locate(program_function());
  ASSERT_FALSE(frames.empty());
  auto as_it_ran = site(1, frames[0].module, frames[0].offset), built_anew = as_it_ran;
  as_it_ran.build_id = frames[0].build_id;
  built_anew.id = model::CallSiteId{2};
  // By chance the id may begin with any digit.
  built_anew.build_id = (frames[0].build_id->front() == '0' ? "1" : "0") + frames[0].build_id->substr(1);
  const auto rows = named({as_it_ran, built_anew}, 2);
  EXPECT_THAT(rows.at(1).symbol.value_or(""), HasSubstr("program_function"));
  EXPECT_EQ(rows.at(2).symbol, std::nullopt);
  EXPECT_EQ(rows.at(2).module_offset, frames[0].offset);
  ASSERT_EQ(said_.size(), 1U) << "once for the file, however often it is looked up";
  EXPECT_EQ(said_[0].code, "file_replaced");
  EXPECT_THAT(said_[0].text, HasSubstr(frames[0].module));
}

// The code that ran is the loader's, even where the file has another name for it.
TEST_F(CallSitesTest, TheLoadersNameIsKept) {
  auto call = inlined_call(1);
  call.symbol = "as_the_loader_says";
  const auto rows = named({call});
  const model::CallSite* row = &rows.at(1);
  while (row->caller_id) row = &rows.at(row->caller_id->value);
  EXPECT_EQ(row->symbol, "as_the_loader_says");
}

}  // namespace
}  // namespace coalescope::resolve
