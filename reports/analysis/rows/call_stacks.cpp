#include "reports/analysis/rows/call_stacks.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>

#include "core/base/demangle.h"
#include "core/capture/limits.h"
#include "core/model/autograd.h"
#include "reports/analysis/figures/names.h"

namespace coalescope::analysis {
namespace {

// A damaged capture may hold a ring of callers.
constexpr std::size_t kDeepestStack = 256;
constexpr std::size_t kMostDemangledBytes = std::size_t{1} << 26, kLongestFunction = 512;

// What packages, interpreters and generators have in their paths.
constexpr std::array<std::string_view, 6> kForeignPython{
    "/site-packages/", "/dist-packages/", "/lib/python3.", "<frozen ", "/torchinductor_", "/.triton/cache/"};
// Where systems and CUDA's packages keep libraries, and how those between a program and its GPU are called.
constexpr std::array<std::string_view, 5> kForeignFolders{"/usr/lib/", "/lib/", "/lib64/", "/usr/local/cuda",
                                                          "/opt/nvidia/"};
constexpr std::array<std::string_view, 3> kForeignModules{"/site-packages/", "/dist-packages/", "/libcu"};
// Templates that are compiled into whoever uses them, wherever their headers lie.
constexpr std::array<std::string_view, 8> kHeaderLibraries{
    "std::", "__gnu_cxx::", "thrust::", "cub::", "cuda::", "cutlass::", "cute::", "cooperative_groups::"};

bool contains_any(std::string_view text, const auto& parts) {
  return std::ranges::any_of(parts, [&](std::string_view part) { return text.find(part) != text.npos; });
}

bool is_own(const std::string& path, const CodeOwnership& ownership, bool foreign) {
  if (path.empty() || contains_any(path, ownership.hidden)) return false;
  if (ownership.roots.empty()) return !foreign;
  return std::ranges::any_of(ownership.roots,
                             [&](const std::string& root) { return path.starts_with(root); });
}

bool is_own_native(const model::CallSite& site, const CodeOwnership& ownership) {
  const bool foreign =
      std::ranges::any_of(kForeignFolders,
                          [&](std::string_view each) { return site.module.starts_with(each); }) ||
      contains_any(site.module, kForeignModules);
  // A header of a library that was compiled into the program lies in a system's folder.
  const bool header = site.file && site.file->starts_with("/usr/");
  return is_own(ownership.roots.empty() || !site.file ? site.module : *site.file, ownership,
                foreign || header);
}

bool is_native(model::FrameKind kind) {
  return kind == model::FrameKind::native || kind == model::FrameKind::inlined;
}

bool is_own(const model::CallSite& site, const CodeOwnership& ownership) {
  if (site.kind == model::FrameKind::python) return is_own_python(site.file.value_or(""), ownership);
  return is_native(site.kind) && is_own_native(site, ownership) &&
         !model::is_startup_function(site.symbol.value_or(""));
}

// A short symbol can be made that stands for a very long name: in all, so many bytes are demangled.
std::string function_of(const model::CallSite& site, std::size_t& demangled_bytes) {
  if (!site.symbol) return {};
  std::string name = *site.symbol;
  if (is_native(site.kind) && demangled_bytes < kMostDemangledBytes) {
    if (auto kernel = model::kernel_of_stub(name); kernel.starts_with("_Z")) name = std::move(kernel);
    name = base::demangle(name);
    demangled_bytes += name.size();
    name = short_function_name(name);
    if (auto kernel = model::kernel_of_stub(name); !kernel.empty()) name = std::move(kernel);
  }
  return capture::cut(name, kLongestFunction);
}

CallSiteRow row_of(const model::CallSite& site, const CodeOwnership& ownership,
                   std::size_t& demangled_bytes) {
  CallSiteRow row;
  row.id = site.id.value;
  row.process_id = site.process_id.value;
  if (site.caller_id) row.caller_id = site.caller_id->value;
  row.kind = site.kind;
  row.function = function_of(site, demangled_bytes);
  row.file = site.file;
  row.line = site.line;
  row.module = site.module;
  row.offset = site.module_offset;
  row.runtime = is_native(site.kind) && (model::is_runtime_library(site.module) ||
                                         (site.symbol && model::is_runtime_function(*site.symbol)));
  const bool of_headers = is_native(site.kind) && ownership.roots.empty() &&
                          std::ranges::any_of(kHeaderLibraries, [&](std::string_view name) {
                            return row.function.starts_with(name);
                          });
  row.own = is_own(site, ownership) && !of_headers;
  return row;
}

// On the host a kernel is a function, too, of which nobody wrote a line: it calls nvcc's stub. Without debug
// information it may be a part of a function of the same name that launches it, so that parameters count.
// With it each has a frame, but a name that says less.
bool is_kernel(const model::CallSite& caller, const CallSiteRow& caller_row, const model::CallSite& stub,
               const CallSiteRow& stub_row) {
  if (!caller.symbol || !stub.symbol || !model::is_runtime_function(*stub.symbol)) return false;
  const bool mangled = caller.symbol->starts_with("_Z") && !model::kernel_of_stub(*stub.symbol).empty();
  return mangled ? model::is_launched_by_stub(*caller.symbol, *stub.symbol)
                 : caller_row.function == stub_row.function;
}

void mark_kernels(std::span<const model::CallSite> sites, std::vector<CallSiteRow>& rows) {
  std::unordered_map<std::int64_t, std::size_t> places;
  for (std::size_t i = 0; i < sites.size(); ++i) places.emplace(sites[i].id.value, i);
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const auto caller = sites[i].caller_id ? places.find(sites[i].caller_id->value) : places.end();
    if (caller == places.end()) continue;
    CallSiteRow& row = rows[caller->second];
    if (is_kernel(sites[caller->second], row, sites[i], rows[i])) row.runtime = true;
  }
}

// Code without a file (exec, python -c) belongs to whoever executes it: Triton's launchers are Triton's.
void disown_executed(std::vector<CallSiteRow>& rows) {
  std::unordered_map<std::int64_t, const CallSiteRow*> sites;
  for (const CallSiteRow& row : rows) sites.emplace(row.id, &row);
  const auto is_executed = [](const CallSiteRow& row) { return row.file == "<string>"; };
  for (CallSiteRow& row : rows) {
    const CallSiteRow* caller = &row;
    for (std::size_t deep = 0; caller != nullptr && is_executed(*caller) && deep < kDeepestStack; ++deep) {
      const auto found = caller->caller_id ? sites.find(*caller->caller_id) : sites.end();
      caller = found == sites.end() ? nullptr : found->second;
    }
    if (is_executed(row) && caller != nullptr && caller->kind == model::FrameKind::python)
      row.own &= caller->own;
  }
}

void add_to(SiteTimes& sum, const SiteTimes& times) {
  sum.kernel_ns += times.kernel_ns;
  sum.transfer_ns += times.transfer_ns;
  sum.wait_ns += times.wait_ns;
}

// The innermost calls are those of the runtime. Between calls of it with a name lie some without; one with a
// name that is not the runtime's is the program's, whatever it is called by.
void drop_runtime(std::vector<const CallSiteRow*>& frames) {
  std::size_t first = 0;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (frames[i]->runtime)
      first = i + 1;
    else if (!frames[i]->function.empty())
      break;
  }
  if (first < frames.size())
    frames.erase(frames.begin(), frames.begin() + static_cast<std::ptrdiff_t>(first));
}

}  // namespace

bool is_own_python(const std::string& file, const CodeOwnership& ownership) {
  return is_own(file, ownership, contains_any(file, kForeignPython));
}

std::string frame_text(const CallSiteRow& frame) {
  if (frame.kind == model::FrameKind::torch_module) return frame.function;
  if (!frame.file && !frame.function.empty() && !frame.module.empty())
    return fmt::format("{} ({})", frame.function, file_name(frame.module));
  std::string text;
  if (frame.file) text = file_name(*frame.file);
  if (frame.file && frame.line) text += fmt::format(":{}", *frame.line);
  if (text.empty()) text = fmt::format("{}+{:#x}", file_name(frame.module), frame.offset);
  // Of a qualified name the last part: Model.forward, outer.<locals>.inner.
  const std::string name = frame.kind == model::FrameKind::python
                               ? frame.function.substr(frame.function.rfind('.') + 1)
                               : frame.function;
  if (name.empty() || name == "<module>") return text;
  return text + " " + name + (name.front() == '<' || name.back() == ')' ? "" : "()");
}

std::vector<CallSiteRow> call_site_rows(std::span<const model::CallSite> sites,
                                        const CodeOwnership& ownership) {
  std::vector<CallSiteRow> rows;
  rows.reserve(sites.size());
  std::size_t demangled_bytes = 0;
  for (const auto& site : sites) rows.push_back(row_of(site, ownership, demangled_bytes));
  mark_kernels(sites, rows);
  disown_executed(rows);
  return rows;
}

CallStacks::CallStacks(std::span<const CallSiteRow> rows) {
  for (const CallSiteRow& row : rows) sites_.emplace(row.id, &row);
}

std::vector<const CallSiteRow*> CallStacks::stack(std::int64_t site) const {
  std::vector<const CallSiteRow*> frames;
  for (std::optional<std::int64_t> id = site; id && frames.size() < kDeepestStack;) {
    const auto found = sites_.find(*id);
    if (found == sites_.end()) break;
    frames.push_back(found->second);
    id = found->second->caller_id;
  }
  drop_runtime(frames);
  return frames;
}

const CallSiteRow* CallStacks::own_frame(std::int64_t site) const {
  const auto frames = stack(site);
  const auto own = std::ranges::find_if(frames, [](const auto* frame) { return frame->own; });
  if (own != frames.end()) return *own;
  const auto lined = std::ranges::find_if(frames, [](const auto* frame) { return frame->line.has_value(); });
  if (lined != frames.end()) return *lined;
  return frames.empty() ? nullptr : frames.front();
}

bool CallStacks::computes_gradients(std::int64_t site) const {
  for (const CallSiteRow* frame : stack(site)) {
    if (frame->own) return false;
    if (frame->file && model::is_backward(*frame->file, frame->function)) return true;
  }
  return false;
}

bool CallStacks::is_of_optimiser(std::int64_t site) const {
  for (const CallSiteRow* frame : stack(site)) {
    if (frame->own) return false;
    if (frame->file && frame->file->find("/torch/optim/") != std::string::npos) return true;
  }
  return false;
}

std::string CallStacks::text(std::int64_t site, std::size_t most) const {
  std::vector<const CallSiteRow*> own;
  for (const CallSiteRow* frame : stack(site))
    if (frame->own) own.push_back(frame);
  if (own.empty()) {
    const CallSiteRow* const frame = own_frame(site);
    return frame == nullptr ? std::string() : frame_text(*frame);
  }
  std::string text;
  for (std::size_t i = 0; i < std::min(most, own.size()); ++i)
    text = frame_text(*own[i]) + (i == 0 ? "" : " > ") + text;
  return own.size() > most ? "... > " + text : text;
}

void add_times(std::vector<CallSiteRow>& rows, const std::map<std::int64_t, SiteTimes>& times) {
  std::unordered_map<std::int64_t, CallSiteRow*> by_id;
  for (CallSiteRow& row : rows) by_id.emplace(row.id, &row);
  const CallStacks stacks(rows);
  for (const auto& [site, sum] : times) {
    const auto found = by_id.find(site);
    if (found == by_id.end()) continue;
    // What CUDA's runtime calls is its caller's own: stacks are without its frames.
    const auto stack = stacks.stack(site);
    add_to(stack.empty() ? found->second->exclusive : by_id.at(stack.front()->id)->exclusive, sum);
    for (const CallSiteRow* frame : stack) add_to(by_id.at(frame->id)->inclusive, sum);
  }
}

}  // namespace coalescope::analysis
