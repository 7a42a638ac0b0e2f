#include "core/ring/note.h"

#include <filesystem>
#include <map>
#include <unistd.h>

namespace coalescope::ring {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".unrecorded";
constexpr std::size_t kMostBytes = 4000;  // a link's text ends before a page does

}  // namespace

void leave_note(const std::string& folder, std::string_view name, std::string_view text) noexcept {
  try {
    const std::string path = folder + "/" + std::string(name) + std::string(kEnding);
    [[maybe_unused]] const int left =
        ::symlink(std::string(text.substr(0, kMostBytes)).c_str(), path.c_str());
  } catch (...) {  // no memory for it
  }
}

std::vector<std::string> read_notes(const std::string& folder) {
  std::map<std::string, std::string> notes;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (!entry->path().string().ends_with(kEnding)) continue;
    std::error_code unreadable;
    const fs::path text = fs::read_symlink(entry->path(), unreadable);
    if (!unreadable) notes.emplace(entry->path().string(), text.string());
  }
  std::vector<std::string> texts;
  for (auto& [path, text] : notes) texts.push_back(std::move(text));
  return texts;
}

}  // namespace coalescope::ring
