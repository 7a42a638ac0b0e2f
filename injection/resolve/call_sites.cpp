// Order of events: the offsets of all sites are gathered, each module is looked up once with all of them,
// then each site is written anew.
#include "injection/resolve/call_sites.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/capture/reader.h"
#include "core/capture/writer.h"
#include "core/model/diagnostic_kinds.h"

namespace coalescope::resolve {
namespace {

using base::Result;
using model::CallSite;
using Clock = std::chrono::steady_clock;

// For all modules: the end of a recording waits for it.
constexpr auto kTimeLimit = std::chrono::seconds(60);

using Offsets = std::map<std::uint64_t, symbols::Frames>;
// By path and build id: a library may have been replaced while the program ran.
using Modules = std::map<std::pair<std::string, std::string>, Offsets>;

std::pair<std::string, std::string> module_of(const CallSite& site) {
  return {site.module, site.build_id.value_or("")};
}

// The kernel's own code has a name that is no path. What has a file was named before.
bool is_wanted(const CallSite& site) {
  return site.kind == model::FrameKind::native && !site.file && site.module.starts_with('/') &&
         site.module_offset > 0 && !model::is_runtime_library(site.module);
}

// Returns the paths of files that are not those that ran.
std::set<std::string> look_up_all(Modules& modules, const symbols::LookUpOptions& options) {
  const auto deadline = Clock::now() + kTimeLimit;
  std::set<std::string> replaced;
  for (auto& [module, offsets] : modules) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) break;
    std::vector<std::uint64_t> wanted;
    // Of the call, not of the instruction that it returns to.
    for (const auto& [offset, frames] : offsets) wanted.push_back(offset - 1);
    symbols::LookUpOptions limited = options;
    limited.time_limit = std::min(options.time_limit, left);
    auto found = symbols::look_up({module.first, module.second}, wanted, limited);
    if (found.replaced) replaced.insert(module.first);
    std::size_t next = 0;
    for (auto& [offset, frames] : offsets) frames = std::move(found.frames[next++]);
  }
  return replaced;
}

// The rows that a site becomes, itself the first. `next_id` is of the next new row.
std::vector<CallSite> named(const CallSite& site, const symbols::Frames& frames, std::int64_t& next_id) {
  std::vector<CallSite> rows;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const symbols::Frame& frame = frames[i];
    CallSite& row = rows.emplace_back(site);
    if (i > 0) row.id = model::CallSiteId{next_id++};
    row.file = frame.file;
    row.line = frame.line;
    row.symbol = frame.symbol;
    const bool concrete = i + 1 == frames.size();
    // The loader's name is that of the code that ran, and is kept where there is one.
    if (concrete && site.symbol) row.symbol = site.symbol;
    row.kind = concrete ? model::FrameKind::native : model::FrameKind::inlined;
    if (!concrete) row.caller_id = model::CallSiteId{next_id};
  }
  return rows;
}

// What an earlier look-up said is not said again.
Result<void> say_replaced(capture::Writer& writer, const std::vector<model::Diagnostic>& said,
                          const std::set<std::string>& paths) {
  std::int64_t last_id = 0;
  for (const auto& each : said) last_id = std::max(last_id, each.id);
  for (const std::string& path : paths) {
    auto row = model::make_diagnostic(model::diagnostic_kind("resolve", "file_replaced"), {path});
    if (std::ranges::find(said, row.text, &model::Diagnostic::text) != said.end()) continue;
    row.id = ++last_id;
    row.process_id = model::ProcessId{1};
    if (auto done = writer.insert(row); !done) return base::relay(done);
  }
  return {};
}

}  // namespace

Result<void> name_call_sites(const std::string& part, const symbols::LookUpOptions& options) {
  auto reader = capture::Reader::open(part);
  if (!reader) return base::relay(reader);
  const auto sites = reader->rows<CallSite>();
  const auto said = reader->rows<model::Diagnostic>();
  if (!sites) return base::relay(sites);
  if (!said) return base::relay(said);
  Modules modules;
  std::int64_t next_id = 1;
  for (const CallSite& site : *sites) {
    next_id = std::max(next_id, site.id.value + 1);
    if (is_wanted(site)) modules[module_of(site)].try_emplace(static_cast<std::uint64_t>(site.module_offset));
  }
  if (modules.empty()) return {};
  const auto replaced = look_up_all(modules, options);
  auto writer = capture::Writer::open(part);
  if (!writer) return base::relay(writer);
  for (const CallSite& site : *sites) {
    if (!is_wanted(site)) continue;
    const auto& frames = modules.at(module_of(site)).at(static_cast<std::uint64_t>(site.module_offset));
    for (const CallSite& row : named(site, frames, next_id))
      if (auto done = writer->replace(row); !done) return base::relay(done);
  }
  return say_replaced(*writer, *said, replaced).and_then([&] { return writer->commit(); });
}

}  // namespace coalescope::resolve
