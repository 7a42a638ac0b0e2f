# coalescope_library(name FOLDER [ROOMS ...] | SOURCES ... HEADERS ... [TESTS ...] [DEPS ...] [TEST_DEPS ...] [UNSANITIZED])
#
# FOLDER: the sources, headers and tests are what lies in the folder and in its ROOMS, so that a new file is in no list.
#
# Declares the static library coalescope_<name> with the alias coalescope::<name> (a typing error in a link
# line then fails at configure time), its unit tests (files beside the sources), and a test that each header
# compiles alone.
include(CoalescopeWarnings)

function(coalescope_library name)
  cmake_parse_arguments(ARG "FOLDER;UNSANITIZED" "" "ROOMS;SOURCES;HEADERS;DEPS;TESTS;TEST_DEPS" ${ARGN})
  set(target coalescope_${name})
  if(ARG_FOLDER)
    foreach(room IN ITEMS . LISTS ARG_ROOMS)
      file(GLOB found RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${room}/*.cpp
           ${CMAKE_CURRENT_SOURCE_DIR}/${room}/*.h)
      foreach(file IN LISTS found)
        if(file MATCHES "_test\\.cpp$")
          list(APPEND ARG_TESTS ${file})
        elseif(file MATCHES "\\.cpp$")
          list(APPEND ARG_SOURCES ${file})
        elseif(NOT file MATCHES "_test\\.h$")
          list(APPEND ARG_HEADERS ${file})
        endif()
      endforeach()
    endforeach()
  endif()
  if(ARG_SOURCES)
    add_library(${target} STATIC ${ARG_SOURCES})
    target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
    target_link_libraries(${target} PUBLIC ${ARG_DEPS})
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    coalescope_warnings(${target})
    # What the fuzzer goes by. Comparisons are left alone: to note them takes a fifth of the compiler's time.
    if(COALESCOPE_FUZZ)
      target_compile_options(${target} PRIVATE -fsanitize-coverage=inline-8bit-counters,pc-table)
    endif()
  else()
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${target} INTERFACE ${ARG_DEPS})
  endif()
  add_library(coalescope::${name} ALIAS ${target})

  if(NOT BUILD_TESTING)
    return()
  endif()
  # A source file includes its own header first, and so shows that this one compiles alone.
  list(TRANSFORM ARG_SOURCES REPLACE "\\.cpp$" ".h" OUTPUT_VARIABLE shown)
  list(REMOVE_ITEM ARG_HEADERS ${shown})
  if(ARG_HEADERS)
    coalescope_header_test(${name} ${ARG_HEADERS})
  endif()
  if(ARG_TESTS)
    set(unsanitized "")
    if(ARG_UNSANITIZED)
      set(unsanitized UNSANITIZED)
    endif()
    coalescope_unit_test(${name} ${unsanitized} SOURCES ${ARG_TESTS} DEPS ${target} ${ARG_TEST_DEPS})
  endif()
endfunction()

# One GoogleTest binary a library; each TEST is a CTest of its own, so that a failure has a name. With TOGETHER all of
# them are one: for tests that share what takes seconds to make. UNSANITIZED: tests of what the sanitizers' build lacks;
# without COALESCOPE_UNIT_TESTS these alone are built.
function(coalescope_unit_test name)
  cmake_parse_arguments(ARG "TOGETHER;UNSANITIZED" "" "SOURCES;DEPS" ${ARGN})
  if(NOT COALESCOPE_UNIT_TESTS AND NOT ARG_UNSANITIZED)
    return()
  endif()
  set(test ${name}_test)
  add_executable(${test} ${ARG_SOURCES})
  target_link_libraries(${test} PRIVATE ${ARG_DEPS} GTest::gmock GTest::gtest_main)
  target_compile_definitions(${test} PRIVATE COALESCOPE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  coalescope_warnings(${test})
  if(NOT TARGET unit_tests)
    add_custom_target(unit_tests)  # to build them alone, under a sanitizer
  endif()
  add_dependencies(unit_tests ${test})
  if(ARG_TOGETHER)
    add_test(NAME ${name}.all COMMAND ${test})
    set_tests_properties(${name}.all PROPERTIES LABELS "unit" TIMEOUT 240)
  else()
    gtest_discover_tests(${test} TEST_PREFIX "${name}." DISCOVERY_MODE PRE_TEST
                         PROPERTIES LABELS "unit" TIMEOUT 60)
  endif()
endfunction()

# Every header must compile when it is the only include of a file.
function(coalescope_header_test name)
  set(sources "")
  foreach(header IN LISTS ARGN)
    file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/${header})
    string(MAKE_C_IDENTIFIER ${path} id)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/headers/${id}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${path}\"\n" @ONLY)
    list(APPEND sources ${source})
  endforeach()
  add_library(coalescope_${name}_headers OBJECT ${sources})
  target_link_libraries(coalescope_${name}_headers PRIVATE coalescope_${name})
  target_compile_options(coalescope_${name}_headers PRIVATE -g0)  # nobody debugs them, and they are many
  set_target_properties(coalescope_${name}_headers PROPERTIES UNITY_BUILD OFF)
  coalescope_warnings(coalescope_${name}_headers)
endfunction()
