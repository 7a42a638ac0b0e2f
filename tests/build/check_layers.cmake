cmake_policy(VERSION 3.25)
# Checks the dependency rule between folders, and which files may include whose headers:
#   cmake -DROOT=<source folder> -P check_layers.cmake
# An include is written from the root, so its text is the edge.

# folder: the folders that it may include from, besides itself. The first that matches a file counts.
# What may come into the recorded program.
set(inside "core/(base|model|capture|ring)")
set(analysis "reports/analysis/(report|kernels|finding|program|time_line|call_sites|glossary|notice_kinds|[a-z_]*fields)")
set(edges
  "core/base:"
  "core/model: core/base"
  "core/source: core/base"
  "core/symbols: core/base"
  "core/machine_code/[a-z_]*_test: core/model core/machine_code core/symbols"
  "core/machine_code: core/base core/model"
  "core/capture: core/base core/model"
  "core/profile: core/base core/model"
  "core/ring: core/base core/model core/capture"
  "kernels/answers: core/base core/model"
  "kernels/patterns: core/base core/model kernels/answers"
  "kernels/curves: core/base core/model kernels/(answers|patterns)"
  "kernels/twins/twins: core/base core/model kernels/twins"
  "kernels/twins: core/base core/model kernels/(answers|patterns|curves)"
  "kernels/program: core/base core/model kernels"
  "injection/resolve: core injection/recorder"
  "injection/cupti/(resolve|instruction_lines|kernel_code|line_tables|cubin): core injection"
  "injection/python: core/base"
  "injection/recorder: ${inside} injection/python"
  "injection/cupti: ${inside} injection/(python|recorder)"
  "injection: ${inside} injection/(python|recorder|cupti)"
  "reports/analysis/[a-z_/]*_test: core reports/analysis"
  "${analysis}: core ${analysis}"
  "reports/analysis/figures: core ${analysis}"
  "reports/analysis/machine: core ${analysis} reports/analysis/figures"
  "reports/analysis/rows: core ${analysis} reports/analysis/(figures|machine)"
  "reports/analysis/rules: core ${analysis} reports/analysis/(figures|machine|rows)"
  "reports/analysis/judge: core ${analysis} reports/analysis/(figures|machine|rows|rules)"
  "reports/analysis/view: core ${analysis} reports/analysis/(figures|machine|rows|rules|judge)"
  "reports/analysis: core"
  "reports/comparison: core reports/analysis"
  "reports/gate: core reports/analysis reports/comparison"
  "reports/text: core reports/analysis reports/comparison reports/gate"
  "reports/json: core reports/analysis reports/comparison reports/gate"
  "reports/markdown: core reports/analysis reports/comparison reports/gate"
  "reports/junit: core reports/gate"
  "reports/sarif: core reports/analysis reports/gate reports/manual"
  "reports/html: core reports/analysis reports/comparison reports/json"
  "reports/[a-z]+: core reports/analysis"
  "tool/calibrate: core reports tool kernels"
  "tool: core reports")

# headers: the only files that may include them. Third-party headers stay out of ours, but for *_test.h, which only
# unit tests include.
set(owners
  "(cuda|cupti|nvperf|nvtx|cooperative_groups)[^/]*(/.*)?: ^injection/cupti/|\\.cuh?$"
  "sqlite3(ext)?\\.h: ^core/capture/[^/]*\\.cpp$"
  "(elfutils/.*|dwarf\\.h|gelf\\.h|libelf\\.h): ^core/symbols/"
  "sha[^/]*\\.h: ^core/source/[^/]*\\.cpp$"
  "CLI/.*: ^tool/cli/"
  "toml.*/.*: ^tool/check_config\\.cpp$"
  "nlohmann/.*: ^(reports|tool|core/profile)/.*\\.cpp$|_test\\.(cpp|h)$")

set(violations "")
function(violation file header why)
  set(violations "${violations}  ${file} includes ${header}: ${why}\n" PARENT_SCOPE)
endfunction()

# Sets `allowed` to the folders that `file` may include from.
function(folders_for file)
  foreach(edge IN LISTS edges)
    string(REGEX MATCH "^([^:]*): ?(.*)$" _ "${edge}")
    set(folder ${CMAKE_MATCH_1})
    string(REPLACE " " ";" others "${CMAKE_MATCH_2}")
    if(file MATCHES "^(${folder})[./_]")
      set(allowed ${CMAKE_MATCH_1} ${others} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "${file} lies in no folder of the dependency rule: add its folder to ${CMAKE_CURRENT_LIST_FILE}")
endfunction()

foreach(part core injection kernels reports tool)
  list(APPEND globs ${ROOT}/${part}/*.h ${ROOT}/${part}/*.cpp ${ROOT}/${part}/*.cu ${ROOT}/${part}/*.cuh)
endforeach()
file(GLOB_RECURSE files RELATIVE ${ROOT} ${globs})
list(FILTER files EXCLUDE REGEX "/node_modules/")

foreach(file IN LISTS files)
  folders_for(${file})
  file(STRINGS ${ROOT}/${file} includes REGEX "^[ \t]*#[ \t]*include")
  foreach(include IN LISTS includes)
    if(NOT include MATCHES "include[ \t]*([<\"])([^>\"]*)[>\"]")
      continue()
    endif()
    set(quote "${CMAKE_MATCH_1}")
    set(header "${CMAKE_MATCH_2}")
    if(header MATCHES "_test\\.h$" AND NOT file MATCHES "_test\\.(cpp|h)$")
      violation(${file} ${header} "only unit tests may")
    endif()
    foreach(owner IN LISTS owners)
      string(REGEX MATCH "^(.*): (.*)$" _ "${owner}")
      set(only "${CMAKE_MATCH_2}")
      if(header MATCHES "^${CMAKE_MATCH_1}$" AND NOT file MATCHES "${only}")
        violation(${file} ${header} "only ${only} may")
      endif()
    endforeach()
    if(quote STREQUAL "<" OR header MATCHES "_embedded\\.h$" OR (header MATCHES "^tests/" AND file MATCHES "_test\\.(cpp|h)$"))
      continue()
    endif()
    set(legal FALSE)
    foreach(folder IN LISTS allowed)
      if(header MATCHES "^${folder}[./_]")
        set(legal TRUE)
      endif()
    endforeach()
    if(NOT legal)
      string(REPLACE ";" ", " from "${allowed}")
      violation(${file} ${header} "it may include from ${from}")
    endif()
  endforeach()
endforeach()

if(violations)
  message(FATAL_ERROR "the dependency rule is broken:\n${violations}")
endif()
list(LENGTH files count)
if(count EQUAL 0)
  message(FATAL_ERROR "no sources below ${ROOT}")
endif()
message(STATUS "${count} files keep the dependency rule")
