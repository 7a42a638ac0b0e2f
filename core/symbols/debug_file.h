#pragma once
// A program or library as libdwfl sees it, with its separate debug file if there is one.

#include <cstdint>
#include <elfutils/libdwfl.h>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/symbols/look_up.h"
#include "core/symbols/scopes.h"

namespace coalescope::symbols {

class DebugFile {
 public:
  // nullptr: no program or library of this machine, or (`replaced`) another one than was meant. Then, or
  // where the file is gone, its separate debug file will do, if there is one with its build id.
  [[nodiscard]] static std::unique_ptr<DebugFile> open(const ModuleFile& module,
                                                       const std::string& debug_root, bool& replaced);

  [[nodiscard]] Frames frames_at(std::uint64_t offset);

 private:
  // One stretch of a unit's code.
  struct Unit {
    Dwarf_Addr begin = 0;
    Dwarf_Addr end = 0;
    Dwarf_Die die{};    // has the lines
    Dwarf_Die scope{};  // has the functions: the same one, or that of the .dwo file
  };
  // A function's stretch of code, as the symbol table has it.
  struct Symbol {
    GElf_Addr begin = 0;
    GElf_Addr end = 0;
    bool is_local = false;
    const char* name = nullptr;  // libdwfl's
  };
  struct End {
    void operator()(Dwfl* session) const { ::dwfl_end(session); }
  };

  DebugFile(const ModuleFile& module, const std::string& debug_root);
  enum class Opened { yes, no, another };
  [[nodiscard]] Opened report(const ModuleFile& module);
  void find_units();
  [[nodiscard]] const std::vector<FunctionRange>& functions_of(const Unit& unit);
  void find_symbols();
  [[nodiscard]] std::optional<std::string> symbol_at(GElf_Addr address);

  std::string search_path_;
  char* search_path_text_ = nullptr;
  Dwfl_Callbacks callbacks_{};
  std::unique_ptr<Dwfl, End> session_;
  Dwfl_Module* module_ = nullptr;
  GElf_Addr first_ = 0;  // where its image begins, as libdwfl counts
  bool is_c_library_ = false;
  std::optional<std::vector<Unit>> units_;
  std::map<const void*, std::vector<FunctionRange>> functions_;  // by where the unit's scope lies
  Dwarf_Addr dwarf_bias_ = 0;
  std::optional<std::vector<Symbol>> symbols_;  // by their beginnings
  GElf_Addr longest_ = 0;                       // of all symbols
};

}  // namespace coalescope::symbols
