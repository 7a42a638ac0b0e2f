cmake_policy(VERSION 3.25)
# Checks that failures are made and relayed in one way, by base::failure() and base::relay(): what they are made of
# is written in core/base/error.h alone.
#   cmake -DROOT=<source folder> -P check_failures.cmake

foreach(part bench core injection kernels reports tests tool)
  list(APPEND globs ${ROOT}/${part}/*.h ${ROOT}/${part}/*.cpp ${ROOT}/${part}/*.cu ${ROOT}/${part}/*.cuh)
endforeach()
file(GLOB_RECURSE files RELATIVE ${ROOT} ${globs})
list(FILTER files EXCLUDE REGEX "/node_modules/|^core/base/error\\.h$")

set(violations "")
foreach(file IN LISTS files)
  file(STRINGS ${ROOT}/${file} lines REGEX "tl::(make_unexpected|unexpect)")
  foreach(line IN LISTS lines)
    string(STRIP "${line}" line)
    string(APPEND violations "  ${file}: ${line}\n")
  endforeach()
endforeach()
if(violations)
  message(FATAL_ERROR "makes a failure by itself; return base::failure(...) for a new one, "
                      "base::relay(done) for that of a callee:\n${violations}")
endif()
list(LENGTH files count)
if(count EQUAL 0)
  message(FATAL_ERROR "no sources below ${ROOT}")
endif()
message(STATUS "${count} files keep the rule")
