#include "core/symbols/scopes.h"

#include <cstdlib>
#include <dwarf.h>
#include <filesystem>
#include <memory>
#include <string_view>

namespace coalescope::symbols {
namespace {

// Deeper than any compiler nests; a file may hold anything.
constexpr int kMostDepth = 256;
constexpr int kMostOrigins = 16;

bool is_block(int tag) {
  return tag == DW_TAG_lexical_block || tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

bool is_named_scope(int tag) {
  return tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
         tag == DW_TAG_union_type || tag == DW_TAG_module;
}

// Namespaces and classes have no addresses of their own, and compilers leave functions in them; those of a
// lambda or a local class are inside of another function, which may have no code. libdw's dwarf_getscopes
// looks in neither.
void add_functions(Dwarf_Die parent, int depth, std::vector<FunctionRange>& ranges) {
  Dwarf_Die child{};
  if (depth == kMostDepth || ::dwarf_child(&parent, &child) != 0) return;
  do {
    const int tag = ::dwarf_tag(&child);
    if (tag == DW_TAG_subprogram || tag == DW_TAG_entry_point) {
      FunctionRange range{0, 0, child};
      Dwarf_Addr base = 0;
      for (std::ptrdiff_t at = 0; (at = ::dwarf_ranges(&child, at, &base, &range.begin, &range.end)) > 0;)
        ranges.push_back(range);
    }
    if (tag == DW_TAG_subprogram || is_block(tag) || is_named_scope(tag))
      add_functions(child, depth + 1, ranges);
  } while (::dwarf_siblingof(&child, &child) == 0);
}

// The block or inlined function directly inside of `parent` that holds the address.
std::optional<Dwarf_Die> inner_scope(Dwarf_Die parent, Dwarf_Addr address) {
  Dwarf_Die child{};
  if (::dwarf_child(&parent, &child) != 0) return std::nullopt;
  do {
    const int tag = ::dwarf_tag(&child);
    if ((tag == DW_TAG_inlined_subroutine || is_block(tag)) && ::dwarf_haspc(&child, address) == 1)
      return child;
  } while (::dwarf_siblingof(&child, &child) == 0);
  return std::nullopt;
}

// The function itself, then what was inlined.
std::vector<Dwarf_Die> functions_around(Dwarf_Die function, Dwarf_Addr address) {
  std::vector<Dwarf_Die> functions{function};
  auto inner = inner_scope(function, address);
  for (int depth = 0; inner && depth < kMostDepth; ++depth) {
    if (::dwarf_tag(&*inner) == DW_TAG_inlined_subroutine) functions.push_back(*inner);
    inner = inner_scope(*inner, address);
  }
  return functions;
}

// Where the function is declared: what was inlined or defined elsewhere refers to it.
Dwarf_Die origin_of(Dwarf_Die die) {
  for (int i = 0; i < kMostOrigins; ++i) {
    Dwarf_Attribute attribute{};
    Dwarf_Die origin{};
    if (::dwarf_attr(&die, DW_AT_abstract_origin, &attribute) == nullptr &&
        ::dwarf_attr(&die, DW_AT_specification, &attribute) == nullptr)
      break;
    if (::dwarf_formref_die(&attribute, &origin) == nullptr) break;
    die = origin;
  }
  return die;
}

// With the namespaces and classes around it.
std::string qualified(Dwarf_Die die, std::string name) {
  Dwarf_Die origin = origin_of(die);
  Dwarf_Die* scopes = nullptr;
  const int count = ::dwarf_getscopes_die(&origin, &scopes);
  const std::unique_ptr<Dwarf_Die, decltype(&std::free)> owner(scopes, &std::free);
  for (int i = 1; i < count; ++i) {
    const int tag = ::dwarf_tag(&scopes[i]);
    if (!is_named_scope(tag)) continue;
    const char* outer = ::dwarf_diename(&scopes[i]);
    name = std::string(outer != nullptr          ? outer
                       : tag == DW_TAG_namespace ? "(anonymous namespace)"
                                                 : "(unnamed)") +
           "::" + name;
  }
  return name;
}

std::optional<std::string> name_of(Dwarf_Die function) {
  for (const unsigned name : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name}) {
    Dwarf_Attribute attribute{};
    if (::dwarf_attr_integrate(&function, name, &attribute) == nullptr) continue;
    if (const char* text = ::dwarf_formstring(&attribute)) return text;
  }
  // Functions that were inlined everywhere have no name for the linker.
  const char* text = ::dwarf_diename(&function);
  if (text == nullptr || *text == '\0') return std::nullopt;
  return qualified(function, text);
}

std::optional<std::int64_t> number(Dwarf_Die die, unsigned name) {
  Dwarf_Attribute attribute{};
  Dwarf_Word value = 0;
  if (::dwarf_attr(&die, name, &attribute) == nullptr || ::dwarf_formudata(&attribute, &value) != 0)
    return std::nullopt;
  // 0 is DWARF's word for "none".
  return value == 0 || value > INT32_MAX ? std::nullopt : std::optional(static_cast<std::int64_t>(value));
}

std::optional<std::int64_t> known(int value) {
  return value > 0 ? std::optional<std::int64_t>(value) : std::nullopt;
}

// A path may count from where the compiler ran, which the unit says; builds that can be repeated say "."
// there.
std::string full_path(const char* file, Dwarf_Die lines) {
  const std::filesystem::path path(file);
  Dwarf_Attribute attribute{};
  if (path.is_absolute()) return path.lexically_normal().string();
  if (::dwarf_attr(&lines, DW_AT_comp_dir, &attribute) == nullptr) return file;
  const char* folder = ::dwarf_formstring(&attribute);
  if (folder == nullptr || *folder != '/') return file;
  return (std::filesystem::path(folder) / path).lexically_normal().string();
}

void set_place(Frame& frame, Dwarf_Die lines, Dwarf_Addr address) {
  Dwarf_Line* place = ::dwarf_getsrc_die(&lines, address);
  int line = 0;
  if (place == nullptr || ::dwarf_lineno(place, &line) != 0 || line <= 0) return;
  const char* file = ::dwarf_linesrc(place, nullptr, nullptr);
  if (file == nullptr) return;
  int column = 0;
  frame.file = full_path(file, lines);
  frame.line = line;
  frame.column = ::dwarf_linecol(place, &column) == 0 ? known(column) : std::nullopt;
}

// Where an inlined function is called.
void set_call(Frame& frame, Dwarf_Die lines, Dwarf_Die scope, Dwarf_Die inlined) {
  const auto line = number(inlined, DW_AT_call_line);
  Dwarf_Attribute attribute{};
  Dwarf_Word index = 0;
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  if (!line || ::dwarf_attr(&inlined, DW_AT_call_file, &attribute) == nullptr ||
      ::dwarf_formudata(&attribute, &index) != 0 || ::dwarf_getsrcfiles(&scope, &files, &count) != 0 ||
      index >= count)
    return;
  const char* file = ::dwarf_filesrc(files, index, nullptr, nullptr);
  if (file == nullptr || std::string_view(file) == "???") return;  // libdw's word for none
  frame.file = full_path(file, lines);
  frame.line = line;
  frame.column = number(inlined, DW_AT_call_column);
}

}  // namespace

std::vector<FunctionRange> functions_in(Dwarf_Die unit) {
  std::vector<FunctionRange> ranges;
  add_functions(unit, 0, ranges);
  return ranges;
}

Frames frames_in(Dwarf_Die lines, Dwarf_Die scope, const FunctionRange* function, Dwarf_Addr address) {
  Frames frames;
  if (function == nullptr) {
    set_place(frames.emplace_back(), lines, address);
    if (!frames.back().file) frames.clear();
    return frames;
  }
  auto functions = functions_around(function->function, address);
  for (auto each = functions.rbegin(); each != functions.rend(); ++each) {
    Frame& frame = frames.emplace_back();
    frame.symbol = name_of(*each);
    frame.is_inlined = ::dwarf_tag(&*each) == DW_TAG_inlined_subroutine;
    if (each == functions.rbegin())
      set_place(frame, lines, address);
    else
      set_call(frame, lines, scope, *std::prev(each));
  }
  return frames;
}

}  // namespace coalescope::symbols
