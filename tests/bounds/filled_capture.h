#pragma once
// Captures with as many rows of each table as a test asks for.

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace coalescope::bounds {

// How rows lie to each other. What a search, a join or a sum does depends on it.
enum class Shape {
  apart,  // each row with names, times and owners of its own
  alike,  // all of one owner, with one name and at one time
  mixed,  // some owners and names, times that overlap
};

struct Rows {
  std::int64_t of_each = 0;
  std::map<std::string_view, std::int64_t> of_table;  // instead
};

void make_filled(const std::filesystem::path& path, Shape shape, const Rows& rows);

// Runs SQL on a capture.
void change(const std::filesystem::path& path, const std::string& sql);

// Reads a capture and shows it in every format, or in those that say most; returns how many bytes that were.
// Throws where it is refused.
enum class Formats { all, largest };
std::size_t show(const std::filesystem::path& path, Formats formats);

}  // namespace coalescope::bounds
