#include "injection/python/interpreter.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fmt/format.h>
#include <span>
#include <sys/uio.h>
#include <unistd.h>

#include "core/base/mixed.h"
#include "core/base/utf8.h"
#include "injection/python/lines.h"

namespace coalescope::python {
namespace {

// Stacks for which the system is asked whether each page that they lie in can be read.
constexpr int kTrials = 32;
constexpr std::uint64_t kPageBytes = 4096;
// With those that the interpreter puts between Python's own.
constexpr int kMostSteps = 256;
constexpr std::size_t kTypeOffset = 8;   // of an object: its type
constexpr std::size_t kSizeOffset = 16;  // of bytes and texts: their length
constexpr std::size_t kBytesHeader = 32;
constexpr std::size_t kTextState = 32;
constexpr std::size_t kTypeBasicSize = 32;
constexpr std::size_t kLongestText = 4096;
constexpr std::size_t kLongestTable = 1 << 20;
// Of a reference from 3.14 on: who counts it.
constexpr std::uint64_t kTags = 3;
// Of a frame that the interpreter itself began, in 3.12.
constexpr std::uint8_t kInterpreterOwns = 3;

// Whether the system says so. Where it does not let a process ask, addresses are believed.
bool is_readable(std::uint64_t address) {
  std::uint8_t byte = 0;
  const iovec to{&byte, sizeof byte};
  const iovec from{reinterpret_cast<void*>(address), sizeof byte};  // NOLINT: an address it is
  const auto done = ::process_vm_readv(::getpid(), &to, 1, &from, 1, 0);
  return done == sizeof byte || (done < 0 && errno != EFAULT);
}

template <class Value>
Value load(std::uint64_t address) {
  Value value;
  std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);  // NOLINT: an address it is
  return value;
}

// Programs have their memory in this range on 64-bit Linux, and values are aligned to their size.
bool plausible(std::uint64_t address, std::size_t bytes) {
  constexpr std::uint64_t kLeast = 0x10000, kMost = std::uint64_t{1} << 47;
  return address >= kLeast && address < kMost && address % bytes == 0;
}

struct Direct {
  template <class Value>
  bool read(std::uint64_t address, Value& value) const {
    if (!plausible(address, sizeof value)) return false;
    value = load<Value>(address);
    return true;
  }
};

template <class Symbol>
Symbol symbol(const char* name) {
  return reinterpret_cast<Symbol>(::dlsym(RTLD_DEFAULT, name));
}

// As in PY_VERSION_HEX. 0: it does not say.
std::uint32_t version_of_interpreter() {
  if (const auto* version = symbol<const unsigned long*>("Py_Version"))
    return static_cast<std::uint32_t>(*version);
  const auto text = symbol<const char* (*)()>("Py_GetVersion");
  if (text == nullptr) return 0;
  char* end = nullptr;
  const auto major = std::strtoul(text(), &end, 10);
  const auto minor = *end == '.' ? std::strtoul(end + 1, nullptr, 10) : 0;
  return static_cast<std::uint32_t>(major << 24U | minor << 16U);
}

std::uint32_t code_point(std::uint64_t data, std::uint64_t index, std::uint32_t bytes) {
  if (bytes == 1) return load<std::uint8_t>(data + index);
  if (bytes == 2) return load<std::uint16_t>(data + 2 * index);
  return load<std::uint32_t>(data + 4 * index);
}

}  // namespace

// A value is aligned to its size, so that it lies in one page.
struct Interpreter::Asked {
  const Interpreter& interpreter;

  template <class Value>
  bool read(std::uint64_t address, Value& value) const {
    if (!plausible(address, sizeof value)) return false;
    const std::uint64_t page = address / kPageBytes;
    std::atomic<std::uint64_t>& known = interpreter.readable_[page % interpreter.readable_.size()];
    if (known.load(std::memory_order_relaxed) != page) {
      if (!is_readable(address)) return false;
      known.store(page, std::memory_order_relaxed);
    }
    return Direct{}.read(address, value);
  }
};

Interpreter::Interpreter(const Symbols& symbols, const Layout& layout)
    : symbols_(symbols), layout_(layout), trials_left_(kTrials) {}

base::Result<std::unique_ptr<Interpreter>> Interpreter::find() {
  Symbols symbols;
  symbols.thread_state = symbol<ThreadState>("PyGILState_GetThisThreadState");
  symbols.code_type = symbol<const void*>("PyCode_Type");
  symbols.text_type = symbol<const void*>("PyUnicode_Type");
  if (symbols.thread_state == nullptr || symbols.code_type == nullptr || symbols.text_type == nullptr)
    return nullptr;
  const std::uint32_t version = version_of_interpreter();
  const auto layout = layout_of(version, symbol<const void*>("_PyRuntime"));
  // Builds for debugging have more in front of each object.
  const auto basic_size =
      load<std::uint64_t>(reinterpret_cast<std::uint64_t>(symbols.code_type) + kTypeBasicSize);
  if (!layout || (basic_size != 0 && basic_size != layout->code_size))
    return base::failure(base::ErrorCode::unsupported,
                         fmt::format("the stacks of this Python {}.{} cannot be read", version >> 24U,
                                     version >> 16U & 0xFFU));
  return std::unique_ptr<Interpreter>(new Interpreter(symbols, *layout));
}

// Calls visit(frame) for each frame, innermost first, until it says false. False: an address was wrong.
template <class Memory, class Visit>
bool Interpreter::walk(const Memory& memory, Visit&& visit) const noexcept {
  const auto state = reinterpret_cast<std::uint64_t>(symbols_.thread_state());
  std::uint64_t at = 0;
  if (state == 0) return true;
  if (!memory.read(state + layout_.thread_frame, at)) return false;
  if (layout_.in_holder && at != 0 && !memory.read(at + *layout_.in_holder, at)) return false;
  for (int steps = 0; at != 0 && steps < kMostSteps; ++steps) {
    Frame frame;
    std::uint64_t type = 0, instruction = 0;
    if (!memory.read(at + layout_.frame_code, frame.code)) return false;
    frame.code &= ~kTags;
    std::uint8_t owner = 0;
    if (layout_.frame_owner && !memory.read(at + *layout_.frame_owner, owner)) return false;
    const bool has_code = frame.code != 0 && owner != kInterpreterOwns;
    if (has_code && !memory.read(frame.code + kTypeOffset, type)) return false;
    if (has_code && type == reinterpret_cast<std::uint64_t>(symbols_.code_type)) {
      std::int32_t first_line = 0;
      if (!memory.read(at + layout_.frame_instruction, instruction) ||
          !memory.read(frame.code + layout_.code_file, frame.file) ||
          !memory.read(frame.code + layout_.code_first_line, first_line))
        return false;
      frame.first_line = first_line;
      frame.offset =
          layout_.index_bytes
              ? static_cast<std::int32_t>(instruction) * static_cast<std::int64_t>(*layout_.index_bytes)
              : static_cast<std::int64_t>(instruction - frame.code - layout_.code_instructions);
      if (!visit(frame)) return true;
    }
    if (!memory.read(at + layout_.frame_previous, at)) return false;
  }
  return true;
}

template <class Visit>
void Interpreter::walk_carefully(Visit&& visit) noexcept {
  if (is_broken()) return;
  if (trials_left_.load(std::memory_order_relaxed) <= 0) {
    (void)walk(Direct{}, visit);
    return;
  }
  const Asked memory{*this};
  bool right = true;
  const auto checked = [&](const Frame& frame) {
    std::uint64_t type = 0;
    right = memory.read(frame.file + kTypeOffset, type) &&
            type == reinterpret_cast<std::uint64_t>(symbols_.text_type);
    return right && visit(frame);
  };
  trials_left_.fetch_sub(1, std::memory_order_relaxed);
  if (!walk(memory, checked) || !right) broken_ = true;
}

std::uint64_t Interpreter::stack_hash() noexcept {
  std::uint64_t hash = 0;
  std::size_t frames = 0;
  walk_carefully([&](const Frame& frame) {
    hash = base::mixed(base::mixed(hash, frame.code), static_cast<std::uint64_t>(frame.offset));
    hash = base::mixed(hash, frame.file + static_cast<std::uint64_t>(frame.first_line));
    return ++frames < kMostFrames;
  });
  if (is_broken()) return kNoPython;
  if (frames == 0) return symbols_.thread_state() == nullptr ? kNoPython : kNoFrames;
  return std::max(hash, kNoFrames + 1);
}

std::vector<Frame> Interpreter::stack() {
  std::vector<Frame> frames;
  frames.reserve(kMostFrames);
  walk_carefully([&](const Frame& frame) {
    frames.push_back(frame);
    return frames.size() < kMostFrames;
  });
  if (is_broken()) frames.clear();
  return frames;
}

std::string Interpreter::text_at(std::uint64_t object) const {
  if (object == 0 ||
      load<std::uint64_t>(object + kTypeOffset) != reinterpret_cast<std::uint64_t>(symbols_.text_type))
    return {};
  // interned: 2 bits, bytes of a character: 3, the text follows: 1, all ASCII: 1.
  const auto state = load<std::uint32_t>(object + kTextState);
  const std::uint32_t bytes = state >> 2U & 7U;
  const bool follows = (state >> 5U & 1U) != 0, ascii = (state >> 6U & 1U) != 0;
  if (!follows || (bytes != 1 && bytes != 2 && bytes != 4)) return {};
  const std::uint64_t data = object + (ascii ? layout_.text_header : layout_.wide_text_header);
  const auto length = std::min<std::uint64_t>(load<std::uint64_t>(object + kSizeOffset), kLongestText);
  std::string text;
  for (std::uint64_t i = 0; i < length; ++i) base::append_utf8(text, code_point(data, i, bytes));
  return text;
}

Place Interpreter::place_of(const Frame& frame) const {
  Place place;
  place.file = text_at(load<std::uint64_t>(frame.code + layout_.code_file));
  place.function = text_at(load<std::uint64_t>(frame.code + layout_.code_name));
  const auto table = load<std::uint64_t>(frame.code + layout_.code_lines);
  if (table == 0) return place;
  const auto bytes = std::min<std::uint64_t>(load<std::uint64_t>(table + kSizeOffset), kLongestTable);
  const std::span lines(reinterpret_cast<const std::uint8_t*>(table + kBytesHeader),  // NOLINT: an address
                        static_cast<std::size_t>(bytes));
  place.line = line_of(layout_.lines, lines, frame.first_line, frame.offset);
  return place;
}

}  // namespace coalescope::python
