#pragma once
// The source lines of instructions, from the line tables of their modules.

#include <cstddef>
#include <map>
#include <string>

#include "core/model/instruction.h"
#include "core/symbols/device_lines.h"
#include "injection/cupti/module_code.h"

namespace coalescope::cupti {

// Each module's table is read once.
class LineTables {
 public:
  // Sets the instruction's line, if the table tells it: of code that was inlined from a library's header, or
  // to copy a structure, that of the call in the user's own file, where there is one.
  bool tell(Cubin cubin, const std::string& function, model::Instruction& instruction);
  // Whether the table tells of the function, by its mangled name.
  [[nodiscard]] bool holds(Cubin cubin, const std::string& function) { return of(cubin).holds(function); }

 private:
  const symbols::DeviceLines& of(Cubin cubin);

  std::map<const std::byte*, symbols::DeviceLines> read_;  // by where the code lies
};

}  // namespace coalescope::cupti
