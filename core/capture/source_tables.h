#pragma once
// The tables of the source text that a capture carries: source_file, source_line.

#include "core/capture/columns.h"
#include "core/model/source.h"

namespace coalescope::capture {

template <>
struct Table<model::SourceFile> {
  using Row = model::SourceFile;
  static constexpr std::string_view kName = "source_file";
  static constexpr std::string_view kDoc = "A source file of which this capture has lines.";
  static constexpr std::string_view kKey = "id";
  static constexpr std::int64_t kSince = 3;
  static constexpr auto kColumns =
      base::pack(Column("id", &Row::id, "This file in this capture."),
                 Column("path", &Row::path, "Its name, as instruction.file has it."),
                 Column("sha256", &Row::sha256, "Hash of the whole file, when the program had ended."),
                 Column("bytes", &Row::bytes, "Size of the whole file."));
};

template <>
struct Table<model::SourceLine> {
  using Row = model::SourceLine;
  static constexpr std::string_view kName = "source_line";
  static constexpr std::string_view kDoc =
      "A line that was measured or from which CUDA was called, or one near it; 'record --no-source' leaves "
      "them out.";
  static constexpr std::string_view kKey = "source_file_id, line";
  static constexpr std::int64_t kSince = 3;
  static constexpr auto kColumns =
      base::pack(Column("source_file_id", &Row::source_file_id, "The file."),
                 Column("line", &Row::line, "Number of the line, from 1."),
                 Column("text", &Row::text, "The line without its end; a very long one is cut."));
};

}  // namespace coalescope::capture
