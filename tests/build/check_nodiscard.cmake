cmake_policy(VERSION 3.25)
# Checks that each function that a header declares to return a Result carries [[nodiscard]], which neither an
# alias nor tl::expected can carry for it (headers of unit tests aside):
#   cmake -DROOT=<source folder> -P check_nodiscard.cmake

foreach(part core injection kernels reports tool)
  list(APPEND globs ${ROOT}/${part}/*.h)
endforeach()
file(GLOB_RECURSE files RELATIVE ${ROOT} ${globs})
list(FILTER files EXCLUDE REGEX "/node_modules/|_test\\.h$")

# A declaration: a type and what may stand before it, then a name, here or on the next line. The attribute would
# stand first, and its bracket is not among the characters before the type.
set(declaration "^[A-Za-z_:<>, ]*Result<[^=]*>( +[a-z_]+\\(|$)")

set(violations "")
foreach(file IN LISTS files)
  file(STRINGS ${ROOT}/${file} lines REGEX "${declaration}")
  foreach(line IN LISTS lines)
    string(STRIP "${line}" line)
    string(APPEND violations "  ${file}: ${line}\n")
  endforeach()
endforeach()
if(violations)
  message(FATAL_ERROR "returns a Result without [[nodiscard]]:\n${violations}")
endif()
list(LENGTH files count)
if(count EQUAL 0)
  message(FATAL_ERROR "no headers below ${ROOT}")
endif()
message(STATUS "${count} headers keep the rule")
