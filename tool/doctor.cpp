#include "tool/doctor.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "core/base/log.h"
#include "reports/text/cells.h"
#include "tool/doctor_gpu.h"
#include "tool/doctor_machine.h"
#include "tool/doctor_program.h"
#include "tool/doctor_software.h"
#include "tool/exit_status.h"
#include "tool/libraries.h"
#include "tool/output.h"
#include "tool/program.h"
#include "tool/version.h"

namespace coalescope::tool {

namespace {

// Of the members of the data, which programs read; docs/doctor.md lists them.
constexpr int kDoctorFormat = 1;
constexpr int kDoctorIndent = 2;
constexpr std::size_t kStateWidth = 10, kNameWidth = 24, kMostDoctorWidth = 110;

bool works(const Checks& checks) {
  return std::ranges::none_of(checks, [](const Check& each) { return each.state == CheckState::missing; });
}

Check check_recorder() {
  Check check{"recorder", CheckState::ok, fmt::format("coalescope {}, whole", version())};
  const auto libraries = find_libraries();
  base::Result<void> whole;
  if (!libraries) whole = base::relay(libraries);
  for (const char* companion : {"coalescope_resolve", "coalescope_probe", "coalescope_modules"})
    if (const auto found = find_companion(companion); whole && !found) whole = base::relay(found);
  if (whole) return check;
  return {"recorder", CheckState::missing, whole.error().message, whole.error().remedy};
}

Check not_described(const base::Error& error) {
  return {"python", CheckState::degraded, error.message, "repair or remove it"};
}

// Each Python that answered adds its folder of packages.
Checks check_pythons(const Machine& machine, const std::string& program,
                     std::vector<std::string>& site_packages) {
  const auto range = machine.probe({"pythons"});
  Checks checks;
  std::set<std::string> seen;  // one environment may have several names
  for (const auto& path : find_pythons(machine, program)) {
    const auto python = describe_python(path);
    if (!python) {
      checks.push_back(not_described(python.error()));
      continue;
    }
    if (!seen.insert(python->site_packages).second) continue;
    site_packages.push_back(python->site_packages);
    if (range && !range->empty() && range->front().size() > 2)
      checks.push_back(check_python(*python, range->front()[1], range->front()[2]));
  }
  return checks;
}

void append(Checks& checks, Checks more) {
  std::ranges::move(more, std::back_inserter(checks));
}

// Between words; a path is never cut, because a person copies it.
void append_words(std::vector<std::string>& lines, const std::string& text, std::size_t width,
                  const std::string& mark) {
  constexpr std::size_t kBefore = kStateWidth + kNameWidth;
  std::string line = text::pad_right(mark, kBefore);
  std::istringstream words(text::clean(text));
  for (std::string word; words >> word;) {
    const bool first = text::width_of(line) == kBefore;
    if (!first && text::width_of(line) + 1 + text::width_of(word) > width) {
      lines.push_back(std::move(line));
      line = std::string(kBefore, ' ') + word;
    } else {
      line += (first ? "" : " ") + word;
    }
  }
  lines.push_back(std::move(line));
}

std::string verdict(const Checks& checks) {
  if (works(checks)) return "Programs can be recorded here.";
  std::vector<std::string> names;
  for (const Check& each : checks)
    if (each.state == CheckState::missing && std::ranges::find(names, each.name) == names.end())
      names.push_back(each.name);
  return fmt::format("Recording lacks: {}. Reports of captures work all the same.", fmt::join(names, ", "));
}

}  // namespace

Checks examine(const Machine& machine, const std::string& program) {
  std::vector<std::string> site_packages;
  Checks pythons = check_pythons(machine, program, site_packages);
  Checks checks{check_recorder()};
  append(checks, check_gpus(machine, site_packages));
  append(checks, {check_other_tool(machine), check_mig(machine), check_mps(machine), check_wsl(machine)});
  append(checks, std::move(pythons));
  checks.push_back(check_disassembler(machine, site_packages));
  if (!program.empty())
    append(checks, check_program(machine, program, find_cuda_program(machine, "cuobjdump", site_packages)));
  return checks;
}

std::string doctor_text(const Checks& checks, std::size_t width) {
  width = std::min(width, kMostDoctorWidth);
  std::vector<std::string> lines;
  for (const Check& each : checks) {
    const std::string mark = text::pad_right(name_of(each.state), kStateWidth) + each.name;
    append_words(lines, each.text, width, mark);
    // Never wrapped: a command is there to be copied.
    if (each.state != CheckState::ok && !each.mend.empty())
      lines.push_back(std::string(kStateWidth + kNameWidth, ' ') + "mend: " + text::clean(each.mend));
  }
  lines.emplace_back();
  text::append_wrapped(lines, verdict(checks), width, "", 0);
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

std::string doctor_json(const Checks& checks) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Check& each : checks)
    rows.push_back(
        {{"check", each.name},
         {"state", name_of(each.state)},
         {"text", each.text},
         {"mend", each.mend.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(each.mend)}});
  const nlohmann::ordered_json data{
      {"format", kDoctorFormat}, {"coalescope", version()}, {"can_record", works(checks)}, {"checks", rows}};
  return data.dump(kDoctorIndent, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

int run(const DoctorOptions& options) {
  std::string program;
  if (!options.program.empty()) {
    const auto found = find_program(options.program);
    if (!found) {
      base::log_error(found.error());
      return kUsage;
    }
    program = *found;
  }
  const Checks checks = examine(this_machine(), program);
  const auto written =
      write_all(stdout,
                options.json ? doctor_json(checks)
                             : doctor_text(checks, static_cast<std::size_t>(text_options_for(stdout).width)),
                "to stdout");
  if (!written) {
    base::log_error(written.error());
    return kUsage;
  }
  return works(checks) ? kDone : kCannotRecord;
}

}  // namespace coalescope::tool
