#pragma once
// What a process leaves that cannot be recorded: a symbolic link, whose text says why. Making one takes a
// single system call and no descriptor, and works beside a capture on another machine's disk, too.

#include <string>
#include <string_view>
#include <vector>

namespace coalescope::ring {

// `name` is a file's, without an ending. What cannot be left is not: this is the last resort.
void leave_note(const std::string& folder, std::string_view name, std::string_view text) noexcept;

// The texts of all notes in a folder, in the order of their names.
[[nodiscard]] std::vector<std::string> read_notes(const std::string& folder);

}  // namespace coalescope::ring
