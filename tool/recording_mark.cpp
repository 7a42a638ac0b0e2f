// The lock is taken before the mark gets its name: whoever finds a mark without a lock knows that its
// recording has ended. A number of a process would not tell, because numbers are used again.
#include "tool/recording_mark.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace coalescope::tool {

namespace {

namespace fs = std::filesystem;
using base::ErrorCode;
using base::failure;
using base::Result;
using Json = nlohmann::json;

constexpr const char* kName = "recording.json";
constexpr const char* kDraft = "recording.json.new";
constexpr std::string_view kFolderMiddle = ".parts-";
constexpr std::int64_t kFormat = 1;
constexpr std::size_t kMostBytes = 64 << 20;  // a command line has 6 MiB at most, and JSON writes it longer
constexpr std::size_t kMostEntries = 10'000;  // looked through, for a start must not take long

std::string to_json(const model::Capture& capture, bool keeps_code) {
  const Json note = {{"format", kFormat},
                     {"tool_version", capture.tool_version},
                     {"command", capture.command},
                     {"options", capture.options},
                     {"working_directory", capture.working_directory},
                     {"keeps_code", keeps_code},
                     {"started_unix_ns", capture.started_unix_ns}};
  return note.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::optional<model::Capture> capture_of(const Json& note) {
  if (!note.is_object()) return std::nullopt;
  for (const char* name : {"tool_version", "command", "options", "working_directory"})
    if (!note.contains(name) || !note[name].is_string()) return std::nullopt;
  if (note.value("format", Json()) != kFormat || !note.value("started_unix_ns", Json()).is_number_integer())
    return std::nullopt;
  model::Capture result;
  result.tool_version = note["tool_version"];
  result.command = note["command"];
  result.options = note["options"];
  result.working_directory = note["working_directory"];
  result.started_unix_ns = note["started_unix_ns"];
  return result;
}

bool is_ours(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && status.st_uid == ::geteuid();
}

std::optional<std::string> read_all(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  std::string text;
  std::array<char, 65'536> buffer{};
  for (ssize_t count = 0; (count = ::read(descriptor, buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(count));
    if (text.size() > kMostBytes) return std::nullopt;
  }
  return text;
}

}  // namespace

Result<RecordingMark> RecordingMark::leave(const fs::path& folder, const model::Capture& capture,
                                           bool keeps_code) {
  const fs::path draft = folder / kDraft;
  const auto cannot = [&] {
    return failure(ErrorCode::failed,
                   fmt::format("this recording could not be recovered if coalescope were killed: "
                               "cannot write '{}': {}",
                               draft.string(), std::strerror(errno)));
  };
  const int descriptor = ::open(draft.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
  if (descriptor < 0) return cannot();
  RecordingMark mark(descriptor);
  mark.capture_ = capture;
  mark.keeps_code_ = keeps_code;
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) return cannot();
  const std::string text = to_json(capture, keeps_code);
  errno = ENOSPC;  // a short write sets none
  if (::write(descriptor, text.data(), text.size()) != static_cast<ssize_t>(text.size())) return cannot();
  if (::rename(draft.c_str(), (folder / kName).c_str()) != 0) return cannot();
  return mark;
}

Result<RecordingMark> RecordingMark::take_over(const fs::path& folder) {
  const auto cannot = [&](ErrorCode code, std::string_view why, std::string remedy) {
    return failure(code, fmt::format("cannot recover '{}': {}", folder.string(), why), std::move(remedy));
  };
  const int descriptor = ::open((folder / kName).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0)
    return cannot(errno == EACCES ? ErrorCode::not_permitted : ErrorCode::not_found,
                  fmt::format("no recording has left '{}' in it: {}", kName, std::strerror(errno)),
                  "name a folder such as .NAME.coal.parts-XXXXXX");
  RecordingMark mark(descriptor);
  if (!is_ours(descriptor))
    return cannot(ErrorCode::not_permitted, "the recording is another user's", "let that user recover it");
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0)
    return cannot(ErrorCode::busy, "it is still being recorded", "wait until the program has ended");
  const auto text = read_all(descriptor);
  const Json note = Json::parse(text.value_or(""), nullptr, false);
  auto capture = capture_of(note);
  if (!capture)
    return cannot(ErrorCode::damaged, fmt::format("its '{}' is damaged, or of a later coalescope", kName),
                  "use the coalescope that recorded");
  mark.capture_ = std::move(*capture);
  mark.keeps_code_ = note.value("keeps_code", Json(true)) == true;  // older marks do not say
  return mark;
}

RecordingMark::RecordingMark(RecordingMark&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      capture_(std::move(other.capture_)),
      keeps_code_(other.keeps_code_) {}

RecordingMark::~RecordingMark() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void remove_mark(const fs::path& folder) {
  std::error_code ignored;
  fs::remove(folder / kName, ignored);
}

std::vector<fs::path> recordings_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  std::size_t entries = 0;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end && entries < kMostEntries;
       entry.increment(error), ++entries) {
    const std::string name = entry->path().filename();
    if (!name.starts_with('.') || name.find(kFolderMiddle) == std::string::npos) continue;
    std::error_code ignored;
    if (fs::exists(entry->path() / kName, ignored)) found.push_back(entry->path());
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace coalescope::tool
