cmake_policy(VERSION 3.25)
# Checks that a person can review the generated text that is committed: no file of docs/ or tests/ is longer than 1,500
# lines. What a real GPU recorded is a small binary .coal file instead; where a few facts of it matter, assert those.
#   cmake -DROOT=<source folder> -P check_sizes.cmake
set(most_lines 1500)

foreach(folder docs tests)
  foreach(ending csv json md sarif sql svg txt)
    list(APPEND globs ${ROOT}/${folder}/*.${ending})
  endforeach()
endforeach()
file(GLOB_RECURSE files RELATIVE ${ROOT} ${globs})
list(FILTER files EXCLUDE REGEX "/node_modules/")

foreach(file IN LISTS files)
  file(READ ${ROOT}/${file} text)
  string(REGEX REPLACE "[^\n]+" "" line_ends "${text}")
  string(LENGTH "${line_ends}" lines)
  if(lines GREATER most_lines)
    string(APPEND violations "  ${file}: ${lines}\n")
  endif()
endforeach()
if(violations)
  message(FATAL_ERROR "more than ${most_lines} lines:\n${violations}")
endif()
list(LENGTH files count)
message(STATUS "${count} files keep the rule")
