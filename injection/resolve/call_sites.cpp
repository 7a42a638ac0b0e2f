// Order of events: the calls of all sites are gathered, each module is looked up once with all offsets, then
// each site is judged anew.
#include "injection/resolve/call_sites.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <vector>

#include "core/capture/reader.h"
#include "core/capture/writer.h"
#include "injection/recorder/call_stack.h"

namespace coalescope::resolve {
namespace {

using base::Result;
using model::CallSite;
using Clock = std::chrono::steady_clock;

// Calls above the program's own that are worth a person's time.
constexpr std::size_t kMostCallers = 6;
// For all modules: the end of a recording waits for it.
constexpr auto kTimeLimit = std::chrono::seconds(60);

struct Call {
  std::string module;  // empty: the line is none of ours
  std::uint64_t offset = 0;
  std::string text;                   // behind the offset: function and place
  std::optional<std::string> symbol;  // as the loader, else the file tells
  bool runtime = false;
};

// A line of `callers`: "MODULE+0xOFFSET FUNCTION". A path may hold anything, so it is read from the end.
Call call_of(std::string_view line) {
  Call call;
  call.text = line;
  const auto plus = line.rfind("+0x");
  const auto space = plus == std::string_view::npos ? plus : line.find(' ', plus);
  if (space == std::string_view::npos) return call;
  const char* end = line.data() + space;
  if (const auto done = std::from_chars(line.data() + plus + 3, end, call.offset, 16);
      done.ec != std::errc() || done.ptr != end)
    return call;
  call.module = line.substr(0, plus);
  call.text = line.substr(space + 1);
  // Behind a blank a place follows: that line was named before.
  if (call.text != "?" && call.text.find(' ') == std::string::npos) call.symbol = call.text;
  return call;
}

// Innermost first.
std::vector<Call> calls_of(const CallSite& site) {
  std::vector<Call> calls{
      {site.module, static_cast<std::uint64_t>(site.module_offset), site.symbol.value_or("?"), site.symbol}};
  std::string_view rest = site.callers ? std::string_view(*site.callers) : std::string_view();
  while (!rest.empty()) {
    const auto end = std::min(rest.find('\n'), rest.size());
    calls.push_back(call_of(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return calls;
}

using Offsets = std::map<std::uint64_t, symbols::Frames>;
using Modules = std::map<std::string, Offsets>;

void look_up_all(Modules& modules, const symbols::LookUpOptions& options) {
  const auto deadline = Clock::now() + kTimeLimit;
  for (auto& [path, offsets] : modules) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return;
    std::vector<std::uint64_t> wanted;
    // Of the call, not of the instruction that it returns to.
    for (const auto& [offset, frames] : offsets) wanted.push_back(offset - 1);
    symbols::LookUpOptions limited = options;
    limited.time_limit = std::min(options.time_limit, left);
    auto found = symbols::look_up({path, ""}, wanted, limited);
    std::size_t next = 0;
    for (auto& [offset, frames] : offsets) frames = std::move(found[next++]);
  }
}

// What is inlined counts as the function that it is in, as the loader sees it.
const symbols::Frame* function_of(const Call& call, const Modules& modules) {
  const auto module = modules.find(call.module);
  if (module == modules.end()) return nullptr;
  const auto found = module->second.find(call.offset);
  return found == module->second.end() || found->second.empty() ? nullptr : &found->second.back();
}

// The loader's name is that of the code that ran, and is kept where there is one.
void add_names(Call& call, const Modules& modules) {
  if (const symbols::Frame* function = function_of(call, modules)) {
    if (!call.symbol) call.symbol = function->symbol;
    call.text = call.symbol.value_or("?");
    if (function->file) call.text += fmt::format(" {}:{}", *function->file, function->line.value_or(0));
  }
  call.runtime =
      recorder::is_runtime_library(call.module) || (call.symbol && is_runtime_function(*call.symbol));
}

// Between calls of the runtime lie calls of it without a name. One with a name that is not the runtime's is
// the program's, whatever it is called by.
std::size_t own_call(const std::vector<Call>& calls) {
  std::size_t first = 0;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (calls[i].runtime)
      first = i + 1;
    else if (calls[i].symbol)
      break;
  }
  return first;
}

void judge(CallSite& site, const std::vector<Call>& calls) {
  const std::size_t own = own_call(calls);
  if (own == calls.size() || calls[own].module.empty()) return;
  site.module = calls[own].module;
  site.module_offset = static_cast<std::int64_t>(calls[own].offset);
  site.symbol = calls[own].symbol;
  site.callers.reset();
  const std::size_t last = std::min(calls.size(), own + 1 + kMostCallers);
  for (std::size_t i = own + 1; i < last; ++i) {
    std::string& text = site.callers ? site.callers->append("\n") : site.callers.emplace();
    const Call& call = calls[i];
    text += call.module.empty() ? call.text : fmt::format("{}+{:#x} {}", call.module, call.offset, call.text);
  }
}

}  // namespace

bool is_runtime_function(std::string_view symbol) {
  if (symbol.starts_with("cuda") || symbol.starts_with("__cuda") || symbol.starts_with("libcudart_static_"))
    return true;
  // The header's templates over it: _ZL10cudaMallocIfE9cudaErrorPPT_m.
  if (!symbol.starts_with("_Z")) return false;
  symbol.remove_prefix(symbol.starts_with("_ZL") ? 3 : 2);
  const auto letters = symbol.find_first_not_of("0123456789");
  return letters != std::string_view::npos && letters > 0 && symbol.substr(letters).starts_with("cuda");
}

Result<void> name_call_sites(const std::string& part, const symbols::LookUpOptions& options) {
  auto sites =
      capture::Reader::open(part).and_then([](capture::Reader reader) { return reader.rows<CallSite>(); });
  if (!sites) return tl::unexpected(sites.error());
  if (sites->empty()) return {};
  std::vector<std::vector<Call>> calls;
  Modules modules;
  for (const CallSite& site : *sites) {
    for (const Call& call : calls.emplace_back(calls_of(site)))
      // The kernel's own code has a name that is no path.
      if (call.module.starts_with('/') && call.offset > 0 && !recorder::is_runtime_library(call.module))
        modules[call.module].try_emplace(call.offset);
  }
  look_up_all(modules, options);
  auto writer = capture::Writer::open(part);
  if (!writer) return tl::unexpected(writer.error());
  for (std::size_t i = 0; i < sites->size(); ++i) {
    for (Call& call : calls[i]) add_names(call, modules);
    judge((*sites)[i], calls[i]);
    if (auto done = writer->replace((*sites)[i]); !done) return done;
  }
  return writer->commit();
}

}  // namespace coalescope::resolve
