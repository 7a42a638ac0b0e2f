// Order of events for each folder: take its lock, so that nobody else recovers it; see that no process of the
// program still writes; collect into a workspace beside the new capture; publish it; remove the folder.
#include "tool/recover.h"

#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <vector>

#include "core/base/log.h"
#include "core/model/diagnostic_kinds.h"
#include "tool/collect.h"
#include "tool/exit_status.h"
#include "tool/recording_mark.h"
#include "tool/workspace.h"

namespace coalescope::tool {

namespace {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;
using base::failure;
using base::Result;

// ".x.coal.parts-k3Xd9a" is the folder of x.coal.
fs::path capture_name(const fs::path& folder) {
  std::string name = folder.filename();
  name = name.substr(0, name.rfind(".parts-"));
  while (name.starts_with('.')) name.erase(0, 1);
  return folder.parent_path() / (name.ends_with(".coal") ? name : name + ".coal");
}

Result<void> recover(const fs::path& folder, const RecoverOptions& options) {
  const auto mark = RecordingMark::take_over(folder);
  if (!mark) return base::relay(mark);
  if (const auto part = part_in_use(folder))
    return failure(
        ErrorCode::busy,
        fmt::format("cannot recover '{}': a process of the program runs on and is recorded in '{}'",
                    folder.string(), part->filename().string()),
        "wait until it has ended, or end it");
  auto workspace = options.output ? Workspace::make(options.output, {}, options.force)
                                  : Workspace::beside(capture_name(folder));
  if (!workspace) return base::relay(workspace);
  const auto collected = collect(folder, workspace->draft(), mark->capture(),
                                 {make_diagnostic(model::diagnostic_kind("recover", "recovered"))},
                                 {.sources = false, .code = mark->keeps_code()}, Parts::found);
  if (!collected) return base::relay(collected);
  const auto written = workspace->publish();
  if (!written) return base::relay(written);
  remove_mark(folder);
  std::error_code ignored;
  if (collected->parts_left)
    remove_parts(*collected);
  else
    fs::remove_all(folder, ignored);
  say_outcome(*collected, *written);
  return {};
}

int status_of(const Error& error) {
  if (error.code == ErrorCode::busy) return kStillRecorded;
  return error.code == ErrorCode::damaged ? kUnreadable : kUsage;
}

// Without a trailing slash, so that the last part is the folder's name.
fs::path plain(const std::string& name) {
  std::error_code ignored;
  const fs::path path = fs::absolute(name, ignored).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

}  // namespace

int run(const RecoverOptions& options) {
  const std::vector<fs::path> folders =
      options.folder ? std::vector{plain(*options.folder)} : recordings_in(plain("."));
  if (folders.empty()) base::log_note("no recording that was cut off lies in this folder");
  if (folders.size() > 1 && options.output) {
    base::log_error(
        "{} recordings lie in this folder, and '{}' can be one of them; name its folder, such as '{}'",
        folders.size(), *options.output, folders.front().filename().string());
    return kUsage;
  }
  int status = kDone;
  for (const fs::path& folder : folders) {
    const auto done = recover(folder, options);
    if (done) continue;
    base::log_error(done.error());
    status = std::max(status, status_of(done.error()));
  }
  return status;
}

void mention_leftovers(const fs::path& folder) {
  std::vector<fs::path> left = recordings_in(folder);
  std::erase_if(left, [](const fs::path& each) { return !RecordingMark::take_over(each); });
  if (left.empty()) return;
  std::error_code ignored;
  const bool here = fs::equivalent(folder, ".", ignored);
  if (left.size() == 1)
    base::log_note(
        "'{}' was left by a recording that was cut off; 'coalescope recover{}' makes a capture of it",
        left.front().string(), here ? "" : " FOLDER");
  else
    base::log_note(
        "{} recordings that were cut off lie in '{}'; 'coalescope recover' makes captures of them{}",
        left.size(), folder.string(), here ? "" : " when it is called there");
}

}  // namespace coalescope::tool
