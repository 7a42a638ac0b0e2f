#pragma once
// Source lines that a capture carries, so that reports show them on any machine.

#include <cstdint>
#include <string>

#include "core/model/ids.h"

namespace coalescope::model {

// As it was when the program had ended.
struct SourceFile {
  SourceFileId id;
  std::string path;  // as instruction.file has it
  std::string sha256;
  std::int64_t bytes = 0;
};

struct SourceLine {
  SourceFileId source_file_id;
  std::int64_t line = 0;
  std::string text;
};

}  // namespace coalescope::model
