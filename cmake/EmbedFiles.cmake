# coalescope_embed(target NAMESPACE ns [LIST all] FILES a.sql b.css ...)
#
# Puts files into a library as byte-exact data through the assembler's .incbin: no compile time, any size.
# Each file becomes a std::string_view in <target>_embedded.h, named after the file ("Page.html" -> page_html).
# Where the code cannot know the names, LIST adds a function all() that gives every file.
function(coalescope_embed target)
  cmake_parse_arguments(ARG "" "NAMESPACE;LIST" "FILES" ${ARGN})
  set(assembly ".section .note.GNU-stack,\"\",@progbits\n.section .rodata\n")
  set(declarations "")
  foreach(file IN LISTS ARG_FILES)
    get_filename_component(path ${file} ABSOLUTE)
    get_filename_component(name ${file} NAME)
    string(MAKE_C_IDENTIFIER ${name} id)
    string(TOLOWER ${id} id)
    set(symbol ${target}_${id})
    string(APPEND assembly
      ".hidden ${symbol}_begin\n.hidden ${symbol}_end\n.global ${symbol}_begin\n.global ${symbol}_end\n"
      "${symbol}_begin:\n.incbin \"${path}\"\n${symbol}_end:\n.byte 0\n")
    string(APPEND declarations
      "extern \"C\" const char ${symbol}_begin[], ${symbol}_end[];\n"
      "namespace ${ARG_NAMESPACE} {\ninline std::string_view ${id}() {\n"
      "  return {${symbol}_begin, static_cast<std::size_t>(${symbol}_end - ${symbol}_begin)};\n}\n}\n")
    list(APPEND paths ${path})
    list(APPEND calls "${id}()")
  endforeach()
  if(ARG_LIST)
    list(LENGTH calls count)
    list(JOIN calls ", " calls)
    string(APPEND declarations
      "namespace ${ARG_NAMESPACE} {\ninline std::array<std::string_view, ${count}> ${ARG_LIST}() {\n"
      "  return {${calls}};\n}\n}\n")
  endif()
  set(stub ${CMAKE_CURRENT_BINARY_DIR}/${target}_embedded.s)
  file(CONFIGURE OUTPUT ${stub} CONTENT "${assembly}" @ONLY)
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/embedded/${target}_embedded.h
       CONTENT "#pragma once\n#include <array>\n#include <cstddef>\n#include <string_view>\n${declarations}" @ONLY)
  target_sources(${target} PRIVATE ${stub})
  set_source_files_properties(${stub} PROPERTIES LANGUAGE ASM OBJECT_DEPENDS "${paths}")
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/embedded)
endfunction()
