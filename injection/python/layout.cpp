#include "injection/python/layout.h"

#include <array>
#include <cstring>

namespace coalescope::python {
namespace {

constexpr std::uint32_t kMinorShift = 16;

// Before 3.11 a frame is an object of its own, and has the number of its last instruction.
constexpr Layout kPython39{.thread_frame = 24,
                           .in_holder = {},
                           .frame_previous = 24,
                           .frame_code = 32,
                           .frame_instruction = 104,
                           .index_bytes = 1,
                           .frame_owner = {},
                           .code_size = 176,
                           .code_first_line = 40,
                           .code_file = 104,
                           .code_name = 112,
                           .code_lines = 120,
                           .code_instructions = 0,
                           .lines = LineFormat::deltas,
                           .text_header = 48,
                           .wide_text_header = 72};

constexpr Layout python_310() {
  Layout layout = kPython39;
  layout.frame_instruction = 96;
  layout.index_bytes = 2;
  layout.lines = LineFormat::ranges;
  return layout;
}

constexpr Layout kPython311{.thread_frame = 56,
                            .in_holder = 8,
                            .frame_previous = 48,
                            .frame_code = 32,
                            .frame_instruction = 56,
                            .index_bytes = {},
                            .frame_owner = {},
                            .code_size = 184,
                            .code_first_line = 72,
                            .code_file = 112,
                            .code_name = 128,
                            .code_lines = 136,
                            .code_instructions = 184,
                            .lines = LineFormat::locations,
                            .text_header = 48,
                            .wide_text_header = 72};

constexpr Layout python_312() {
  Layout layout = kPython311;
  layout.in_holder = 0;
  layout.frame_previous = 8;
  layout.frame_code = 0;
  layout.frame_owner = 70;
  layout.code_size = 192;
  layout.code_first_line = 68;
  layout.code_instructions = 192;
  layout.text_header = 40;
  layout.wide_text_header = 56;
  return layout;
}

// Which word of _Py_DebugOffsets says what. The first is a cookie, the second the version.
struct Words {
  std::size_t thread_frame, frame_previous, frame_code, frame_instruction, code_file, code_name, code_lines,
      code_first_line, code_instructions, text_header;
};
constexpr std::size_t kVersionWord = 1, kFreeThreadedWord = 2;
constexpr Words kPython313{.thread_frame = 23,
                           .frame_previous = 29,
                           .frame_code = 30,
                           .frame_instruction = 31,
                           .code_file = 35,
                           .code_name = 37,
                           .code_lines = 38,
                           .code_first_line = 39,
                           .code_instructions = 43,
                           .text_header = 70};
constexpr Words kPython314{.thread_frame = 26,
                           .frame_previous = 32,
                           .frame_code = 33,
                           .frame_instruction = 34,
                           .code_file = 40,
                           .code_name = 42,
                           .code_lines = 43,
                           .code_first_line = 44,
                           .code_instructions = 48,
                           .text_header = 80};
// Of a string that is not ASCII: the length of its UTF-8 form, and a pointer to that.
constexpr std::size_t kWideTextBytes = 16;
// No structure of the interpreter is larger by far.
constexpr std::uint64_t kLargest = 65'536;

std::optional<Layout> told_by(const std::uint64_t* told, std::uint32_t version, const Words& words) {
  constexpr std::array<char, 8> kCookie{'x', 'd', 'e', 'b', 'u', 'g', 'p', 'y'};
  if (std::memcmp(told, kCookie.data(), kCookie.size()) != 0 || told[kVersionWord] != version)
    return std::nullopt;
  // Its frames and its code are not where this thread alone changes them.
  if (told[kFreeThreadedWord] != 0) return std::nullopt;
  Layout layout;
  layout.thread_frame = told[words.thread_frame];
  layout.frame_previous = told[words.frame_previous];
  layout.frame_code = told[words.frame_code];
  layout.frame_instruction = told[words.frame_instruction];
  layout.code_file = told[words.code_file];
  layout.code_name = told[words.code_name];
  layout.code_lines = told[words.code_lines];
  layout.code_first_line = told[words.code_first_line];
  layout.code_instructions = told[words.code_instructions];
  layout.code_size = layout.code_instructions;
  layout.text_header = told[words.text_header];
  layout.wide_text_header = layout.text_header + kWideTextBytes;
  for (const std::size_t offset :
       {layout.thread_frame, layout.frame_previous, layout.frame_code, layout.frame_instruction,
        layout.code_file, layout.code_name, layout.code_lines, layout.code_first_line,
        layout.code_instructions, layout.text_header})
    if (offset > kLargest) return std::nullopt;
  return layout;
}

}  // namespace

std::optional<Layout> layout_of(std::uint32_t version, const void* offsets) {
  const auto* const told = static_cast<const std::uint64_t*>(offsets);
  switch (version >> kMinorShift) {
    case 0x0309:
      return kPython39;
    case 0x030a:
      return python_310();
    case 0x030b:
      return kPython311;
    case 0x030c:
      return python_312();
    case 0x030d:
      return told == nullptr ? std::nullopt : told_by(told, version, kPython313);
    case 0x030e:
      return told == nullptr ? std::nullopt : told_by(told, version, kPython314);
    default:
      return std::nullopt;
  }
}

}  // namespace coalescope::python
