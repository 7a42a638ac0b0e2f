#include "injection/recorder/code_files.h"

#include <cstddef>
#include <utility>

#include "core/model/call_site.h"
#include "injection/recorder/call_stack.h"

namespace coalescope::recorder {
namespace {

// A program that loads code all the time would fill the memory otherwise.
constexpr std::size_t kMostLoaded = 65'536, kMostParts = 1'000'000;

// The innermost program or library on this thread's stack that is neither the driver nor the runtime.
std::optional<std::string> calling_file() {
  const CallStack stack = take_call_stack();
  for (std::size_t i = 0; i < stack.count; ++i) {
    std::string file = file_at(stack.frames[i] - 1);
    if (!file.empty() && !model::is_runtime_library(file)) return file;
  }
  return std::nullopt;
}

}  // namespace

CodeSource code_source(const void* image) {
  std::string file = file_at(reinterpret_cast<std::uint64_t>(image));
  if (!file.empty()) return {std::move(file), std::nullopt};
  return {std::nullopt, calling_file()};
}

void CodeFiles::loaded(std::uint64_t handle, CodeSource source) {
  const std::lock_guard lock(mutex_);
  if (handle != 0 && sources_.size() < kMostLoaded) sources_.insert_or_assign(handle, std::move(source));
}

void CodeFiles::found_part(std::uint64_t part, std::uint64_t whole) {
  const std::lock_guard lock(mutex_);
  if (const auto found = wholes_.find(whole); found != wholes_.end()) whole = found->second;
  if (!sources_.contains(whole)) return;
  if (wholes_.size() < kMostParts) wholes_.insert_or_assign(part, whole);
}

void CodeFiles::unloaded(std::uint64_t handle) {
  const std::lock_guard lock(mutex_);
  if (sources_.erase(handle) == 0) return;
  std::erase_if(wholes_, [handle](const auto& part) { return part.second == handle; });
}

std::optional<CodeSource> CodeFiles::source_of(std::uint64_t handle) const {
  const std::lock_guard lock(mutex_);
  const auto whole = wholes_.find(handle);
  const auto found = sources_.find(whole == wholes_.end() ? handle : whole->second);
  return found == sources_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace coalescope::recorder
